import { createReadStream, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Plugin } from 'vite'

const require = createRequire(import.meta.url)
const folderOf = (name: string) => dirname(require.resolve(`${name}/package.json`))
const versionOf = (name: string): string => JSON.parse(readFileSync(join(folderOf(name), 'package.json'), 'utf8')).version

const [ENGINE, CORE, MODEL] = ['tesseract.js', 'tesseract.js-core', '@tesseract.js-data/eng'] as const

/** Folder of the OCR engine's files in the built app. The name contains versions, because browsers cache files in `assets` for a year. */
export const OCR_FOLDER = `assets/character-reader-${versionOf(ENGINE)}-${versionOf(CORE)}-${versionOf(MODEL)}`

/**
 * Source paths of the files that the OCR engine loads at run time, by file name in the built app. The source files are in npm packages. The
 * smallest available language model is used.
 */
const FILES: Record<string, string> = {
  'worker.js': join(folderOf(ENGINE), 'dist/worker.min.js'),
  'tesseract-core-simd-lstm.js': join(folderOf(CORE), 'tesseract-core-simd-lstm.js'),
  'tesseract-core-simd-lstm.wasm': join(folderOf(CORE), 'tesseract-core-simd-lstm.wasm'),
  'eng.traineddata.gz': join(folderOf(MODEL), '4.0.0_best_int/eng.traineddata.gz'),
}

/** Vite plugin that copies the OCR engine's files from its npm packages into the built app, and serves them during development. */
export const copyOcrFiles = (): Plugin => ({
  name: 'patio-reader-files',
  config: () => ({ define: { OCR_FOLDER: JSON.stringify(`/${OCR_FOLDER}`), OCR_FILES: JSON.stringify(Object.keys(FILES)) } }),
  generateBundle() {
    for (const [name, path] of Object.entries(FILES)) this.emitFile({ type: 'asset', fileName: `${OCR_FOLDER}/${name}`, source: readFileSync(path) })
  },
  configureServer(server) {
    server.middlewares.use(`/${OCR_FOLDER}`, (request, response, next) => {
      const path = FILES[(request.url ?? '').slice(1)]
      if (path === undefined) return next()
      if (path.endsWith('js')) response.setHeader('content-type', 'text/javascript')
      if (path.endsWith('wasm')) response.setHeader('content-type', 'application/wasm')
      createReadStream(path).pipe(response)
    })
  },
})
