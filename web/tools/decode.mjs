// Decodes pictures with the code of the scanner's worker and prints how many were read correctly.
//
//   node tools/decode.mjs [--list] [--without-blurred] FOLDER…
//
// --without-blurred disables the decoder of blurred linear codes, for a comparison.
// Reads .png and .jpg files below the folders. The expected text of a picture comes from the first of:
//   NAME.txt beside NAME.png   the text of the code; an empty file means no code
//   its name                   FORMAT__TEXT__anything.png, percent-encoded where necessary; none__anything.png: no code
//   a folder named none, empty or without: no code
// A picture without an expected text is decoded and listed, and is not counted. Results are grouped by folder, for instance
// to compare flat with tilted photographs. Exits with 1 when a wrong text was read.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, extname, join, relative, resolve } from 'node:path'
import jpeg from 'jpeg-js'
import { PNG } from 'pngjs'
import { loadAppModule, decodeSymbols } from './engine.mjs'

const { createDecoder } = await loadAppModule('features/scanner/decoder.ts')
const { BarcodeDetector } = await loadAppModule('features/scanner/detector.ts')
const { SCAN_VIEW_OPTIONS } = await loadAppModule('features/scanner/cameraViewOptions.ts')
const { decodePhotograph } = await loadAppModule('features/scanner/photograph.ts')
const { decodeBlurredCode } = await loadAppModule('features/scanner/blurred/blurredDecoder.ts')
const { toGrayscale } = await loadAppModule('features/scanner/pixels.ts')

const wanted = process.argv.slice(2)
const blurred = wanted.includes('--without-blurred') ? null : async (frame, directions) => decodeBlurredCode(frame, directions)
const list = wanted.includes('--list')
const folders = wanted.filter((argument) => !argument.startsWith('--')).map((folder) => resolve(folder))
if (folders.length === 0) {
  console.error('node tools/decode.mjs [--list] [--without-blurred] FOLDER…')
  process.exit(2)
}

const KINDS = ['.png', '.jpg', '.jpeg']
const WITHOUT = ['none', 'empty', 'without']

function* picturesIn(folder) {
  for (const name of readdirSync(folder).toSorted()) {
    const path = join(folder, name)
    if (statSync(path).isDirectory()) yield* picturesIn(path)
    else if (KINDS.includes(extname(name).toLowerCase())) yield path
  }
}

/** Returns the expected text of a picture: null if the picture has no code, undefined if the expected text is unknown. */
function expectedOf(path) {
  const sidecar = path.slice(0, -extname(path).length) + '.txt'
  if (existsSync(sidecar)) return readFileSync(sidecar, 'utf8').replace(/\r?\n$/, '') || null
  const [format, text] = basename(path, extname(path)).split('__')
  if (format.toLowerCase() === 'none' || WITHOUT.includes(basename(dirname(path)).toLowerCase())) return null
  return text === undefined ? undefined : decodeURIComponent(text)
}

function load(path) {
  const file = readFileSync(path)
  const isPng = file.subarray(1, 4).toString('latin1') === 'PNG'
  return isPng ? PNG.sync.read(file) : jpeg.decode(file, { useTArray: true, maxMemoryUsageInMB: 2048, formatAsRGBA: true })
}

/** Fills the transparent parts of a picture with white. */
function onPaper({ width, height, data }) {
  for (let index = 3; index < data.length; index += 4) {
    if (data[index] === 255) continue
    for (let channel = 1; channel <= 3; channel++) data[index - channel] = 255 - ((255 - data[index - channel]) * data[index]) / 255
  }
  return { width, height, data }
}

/** Expands the digits of a UPC-E code to the twelve digits of the UPC-A code. */
function written(upce) {
  const [, system, body, check] = /^([01]?)(\d{6})(\d?)$/.exec(upce) ?? []
  if (body === undefined) return upce
  const last = Number(body[5])
  const middle = last <= 2 ? `${body.slice(0, 2)}${last}0000${body.slice(2, 5)}` : last === 3 ? `${body.slice(0, 3)}00000${body.slice(3, 5)}` : last === 4 ? `${body.slice(0, 4)}00000${body[4]}` : `${body.slice(0, 5)}0000${last}`
  return `${system || '0'}${middle}${check}`
}

const plain = (text) => text.replace(/\r\n/g, '\n').trim()
const digits = (text) => text.replace(/^0+/, '')
function same({ rawValue: text, format }, expected) {
  if (plain(text) === plain(expected)) return true
  if (!/^(ean|upc)/.test(format)) return false
  return digits(text) === digits(expected) || digits(text).startsWith(digits(written(expected)))
}

const groups = new Map()
const wrongs = []
function count(group, outcome, ms) {
  const entry = groups.get(group) ?? { right: 0, missed: 0, wrong: 0, empty: 0, times: [] }
  entry[outcome]++
  entry.times.push(ms)
  groups.set(group, entry)
}

/** Detector with the scanner's formats, which decodes in this thread. */
const detector = new BarcodeDetector({
  formats: SCAN_VIEW_OPTIONS.formats,
  engine: () => ({ decodePhotograph: (picture, settings) => decodePhotograph(createDecoder(decodeSymbols, settings, blurred), toGrayscale(picture)) }),
})
for (const root of folders) {
  for (const path of picturesIn(root)) {
    const name = relative(dirname(root), path)
    let picture
    try {
      const { data, width, height } = onPaper(load(path))
      picture = new ImageData(new Uint8ClampedArray(data.buffer, data.byteOffset, data.length), width, height)
    } catch (error) {
      console.error(`${name}: cannot be opened (${error.message})`)
      continue
    }
    const start = performance.now()
    const codes = await detector.detect(picture)
    const ms = performance.now() - start
    const expected = expectedOf(path)
    const code = codes.find((one) => expected && same(one, expected)) ?? codes[0] ?? null
    const strange = expected === undefined ? undefined : codes.find((one) => expected === null || !same(one, expected))
    const group = dirname(name)
    const said = basename(path).split('__').length > 1 ? basename(path).split('__')[0] : null
    const key = `${group}  ${expected === null ? 'no code' : (said ?? code?.format ?? 'unread')}`
    const outcome = expected === undefined ? 'unknown' : strange !== undefined ? 'wrong' : code === null ? (expected === null ? 'empty' : 'missed') : 'right'
    if (outcome !== 'unknown') count(key, outcome, ms)
    if (outcome === 'wrong') wrongs.push(`${name}: read ${strange.format} ${JSON.stringify(strange.rawValue)}, holds ${JSON.stringify(expected)}`)
    if (list || outcome === 'unknown') console.log(`${name}: ${outcome}, ${code === null ? 'nothing' : `${code.format} ${JSON.stringify(code.rawValue)}`}, ${ms.toFixed(0)} ms`)
  }
}

const median = (times) => times.toSorted((a, b) => a - b)[times.length >> 1] ?? 0
const row = (what, { right, missed, wrong, empty, times }) => {
  const held = right + missed + wrong
  const rate = held === 0 ? '' : `${((100 * right) / held).toFixed(1)} %`
  return [what.padEnd(44), String(times.length).padStart(8), String(right).padStart(6), rate.padStart(8), String(missed).padStart(7), String(wrong).padStart(6), String(empty).padStart(6), median(times).toFixed(0).padStart(9), Math.max(...times).toFixed(0).padStart(8)].join('')
}
const sum = (entries) => entries.reduce((all, one) => ({ right: all.right + one.right, missed: all.missed + one.missed, wrong: all.wrong + one.wrong, empty: all.empty + one.empty, times: [...all.times, ...one.times] }))

console.log(`\n${'folder, format'.padEnd(44)}pictures right     rate missed wrong empty median ms worst ms`)
for (const [what, entry] of [...groups].toSorted(([a], [b]) => a.localeCompare(b))) console.log(row(what, entry))
const byFolder = Map.groupBy ? Map.groupBy(groups, ([what]) => what.split('  ')[0]) : grouped([...groups])
for (const [folder, entries] of byFolder) console.log(row(`${folder}  all`, sum(entries.map(([, entry]) => entry))))
if (groups.size > 0) console.log(row('all', sum([...groups.values()])))
for (const wrong of wrongs) console.log(`wrong: ${wrong}`)
process.exitCode = wrongs.length > 0 ? 1 : 0

function grouped(pairs) {
  const found = new Map()
  for (const pair of pairs) found.set(pair[0].split('  ')[0], [...(found.get(pair[0].split('  ')[0]) ?? []), pair])
  return found
}
