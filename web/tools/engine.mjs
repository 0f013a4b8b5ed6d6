// The scanner's own decoding code and the engine, for node: what the worker runs in the browser.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { runnerImport } from 'vite'
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

/** A module of the web pages, as it is in the repository. */
export const ours = async (path) => (await runnerImport(SOURCE + path, { configFile: false, logLevel: 'error', root: SOURCE })).module
export const read = readBarcodes
