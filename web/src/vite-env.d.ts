/// <reference types="vite/client" />

/** Path of the folder with the character reader's files, and the names of the files. Set by `tools/ocrFiles.ts`. */
declare const OCR_FOLDER: string
declare const READER_FILES: string[]
