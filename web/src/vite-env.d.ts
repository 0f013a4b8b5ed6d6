/// <reference types="vite/client" />

/** Path of the folder with the files of the OCR engine, and the names of the files. Set by `tools/ocrFiles.ts`. */
declare const OCR_FOLDER: string
declare const OCR_FILES: string[]
