/// <reference types="vite/client" />

/** Path of the folder with the character reader's files, and the names of the files. Set by `tools/readerFiles.ts`. */
declare const READER_FOLDER: string
declare const READER_FILES: string[]
