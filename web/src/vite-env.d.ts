/// <reference types="vite/client" />

/** Path of the folder with the character reader's files, and the names of the files. Set by `tools/readerFiles.ts`. */
declare const __READER_FOLDER__: string
declare const __READER_FILES__: string[]
