// Fails when the files of the first load, of the first page after the sign-in or of the scanner exceed their budget, in gzipped kB.
import { readdirSync, readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'

const DIST = new URL('../dist/', import.meta.url)
const manifest = JSON.parse(readFileSync(new URL('.vite/manifest.json', DIST), 'utf8'))
const ENTRY = 'index.html'
const BUDGETS = [
  { what: 'sign-in', limit: 110, modules: [ENTRY, 'src/features/auth/SignInPage.tsx'] },
  { what: 'sign-in to campaign picker', limit: 150, modules: [ENTRY, 'src/features/auth/SignInPage.tsx', 'src/features/campaigns/HomePage.tsx'] },
]

function filesOf(module, seen = new Set()) {
  const chunk = manifest[module]
  if (chunk === undefined) throw new Error(`${module} is not in the manifest`)
  if (seen.has(chunk.file)) return seen
  seen.add(chunk.file)
  for (const imported of chunk.imports ?? []) filesOf(imported, seen)
  return seen
}

const weigh = (file) => gzipSync(readFileSync(new URL(file, DIST)), { level: 9 }).length / 1000

const assets = readdirSync(new URL('assets/', DIST)).map((name) => `assets/${name}`)
const assetsNamed = (pattern) => {
  const found = assets.filter((file) => pattern.test(file))
  if (found.length === 0) throw new Error(`no file is named ${pattern}`)
  return found
}
const engine = assetsNamed(/zxing_reader.*\.wasm$/)
const scanner = [manifest['src/features/scanner/index.ts'].file, ...assetsNamed(/\/engine-.*\.js$/), ...assetsNamed(/\/worker-.*\.js$/), ...assetsNamed(/\/scanner-.*\.css$/)]
/** Files of the barcode detector: its interface and the parts of the worker that are loaded after the engine. */
const detector = [manifest['src/features/scanner/detector.ts'].file, ...assetsNamed(/\/photograph-.*\.js$/), ...assetsNamed(/\/warmup-.*\.js$/)]
/** Files of the OCR interface, with the code that it loads on first use. */
const reader = [...assetsNamed(/\/LabelReader-.*\.(js|css)$/), ...assetsNamed(/\/characterWorker-.*\.js$/)]
const folder = assetsNamed(/\/character-reader-/)[0]
const characters = readdirSync(new URL(`${folder}/`, DIST)).map((name) => `${folder}/${name}`)
const ALONE = [
  { what: 'scanner', limit: 28.5, files: scanner },
  { what: 'decoder of blurred linear codes', limit: 8.5, files: assetsNamed(/\/blurredDecoder-.*\.js$/) },
  { what: 'barcode detector', limit: 4, files: detector },
  { what: 'decoding engine', limit: 415, files: engine },
  { what: 'character reading (OCR)', limit: 28, files: reader },
  { what: 'OCR engine and model', limit: 4200, files: characters },
]

let failed = false
for (const { what, limit, modules } of BUDGETS) {
  const files = new Set(modules.flatMap((module) => [...filesOf(module)]))
  const early = [...engine, ...scanner, ...reader, ...characters].filter((file) => files.has(file))
  if (early.length > 0) throw new Error(`${what} loads ${early.join(', ')} before it is used`)
  check(what, limit, [...files])
}
for (const { what, limit, files } of ALONE) check(what, limit, files)

function check(what, limit, files) {
  const total = files.reduce((sum, file) => sum + weigh(file), 0)
  failed ||= total > limit
  console.log(`${what}: ${total.toFixed(1)} kB of ${limit} kB in ${files.length} files`)
}
process.exitCode = failed ? 1 : 0
