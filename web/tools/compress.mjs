// Writes a Brotli file (`NAME.br`) beside each script, style, image and WebAssembly module of the built app. The gateway serves these
// files to browsers that accept them; they are a sixth smaller than gzip, and compressing them at every start would take too long.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'

const ASSETS = new URL('../dist/assets/', import.meta.url)
const compress = promisify(brotliCompress)

/** Returns the Brotli level for a file. The best level takes seconds for a WebAssembly module and saves only 3 % of its size. */
const levelOf = (name) => (name.endsWith('.wasm') ? 9 : constants.BROTLI_MAX_QUALITY)

async function writeCompressed(name) {
  const plain = readFileSync(new URL(name, ASSETS))
  const params = { [constants.BROTLI_PARAM_QUALITY]: levelOf(name), [constants.BROTLI_PARAM_SIZE_HINT]: plain.length }
  const small = await compress(plain, { params })
  if (small.length < plain.length) writeFileSync(new URL(`${name}.br`, ASSETS), small)
}

// Only files directly in the folder are compressed. The OCR engine in a subfolder is loaded once, and its model is already compressed.
await Promise.all(readdirSync(ASSETS).filter((name) => /\.(js|css|svg|wasm)$/.test(name)).map(writeCompressed))
