/// <reference types="vite/client" />

/** URL path of the folder with the OCR engine's files. Defined at build time by `tools/ocrFiles.ts`. */
declare const OCR_FOLDER: string
/** Names of the files in `OCR_FOLDER`. */
declare const OCR_FILES: string[]
