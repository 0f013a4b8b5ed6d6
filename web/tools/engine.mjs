// Runs the scanner's decoding code and its decoding engine in Node. In the browser, a web worker runs both.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { prepareZXingModule as prepareReader, readBarcodes } from 'zxing-wasm/reader'
import { prepareZXingModule as prepareWriter } from 'zxing-wasm/writer'

const require = createRequire(import.meta.url)
const SOURCE = fileURLToPath(new URL('../src/', import.meta.url))
const wasm = (path) => {
  const file = readFileSync(require.resolve(path))
  return file.buffer.slice(file.byteOffset, file.byteOffset + file.byteLength)
}

prepareReader({ overrides: { wasmBinary: wasm('zxing-wasm/reader/zxing_reader.wasm') } })
prepareWriter({ overrides: { wasmBinary: wasm('zxing-wasm/writer/zxing_writer.wasm') } })

/**
 * Loads a module of the web app from its source file. `path` is relative to `src`. Bundles the module, because calls between bundled
 * modules are as fast as in the browser.
 */
export async function loadAppModule(path) {
  const bundle = await rolldown({ input: SOURCE + path, external: /^zxing-wasm\//, logLevel: 'silent' })
  const { output: [{ code }] } = await bundle.generate({ format: 'es', codeSplitting: false, paths: (id) => import.meta.resolve(id) })
  return import(`data:text/javascript;base64,${Buffer.from(code).toString('base64')}`)
}
export const decodeSymbols = readBarcodes

/** Browser classes for pixels and rectangles, which the detector takes and returns. Node lacks these classes. */
globalThis.ImageData ??= function ImageData(data, width, height) {
  Object.assign(this, { data, width, height })
}
globalThis.DOMRectReadOnly ??= function DOMRectReadOnly(x, y, width, height) {
  Object.assign(this, { x, y, width, height })
}
