import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { beforeAll, expect, test, vi } from 'vitest'
import { prepareZXingModule as prepareReader, readBarcodes } from 'zxing-wasm/reader'
import { prepareZXingModule as prepareWriter, writeBarcode, type WriteInputBarcodeFormat } from 'zxing-wasm/writer'
import { createBackground, drawLabelPicture, placeLabel, simulateCamera, drawSymbol, type LabelOptions } from '../../testing/labels'
import { drawTrapFrame } from '../../testing/blurredFrames'
import { createCodeSelector } from './codeSelector'
import { createDecoder, type DecodedFrame } from './decoder'
import { BarcodeDetector } from './detector'
import { SCANNER_DECODER_SETTINGS, buildReaderOptions, toFormatName } from './decoderSettings'
import { decodePhotograph } from './photograph'
import { decodeBlurredCode } from './blurred/blurredDecoder'
import { CODE_128_SYMBOLOGY, CODE_93_SYMBOLOGY, createCode39Symbology } from './blurred/symbologies'
import { cropPicture, encodePgm, toGrayscale, type GrayPicture } from './pixels'
import { warmUpDecoder } from './warmup'

const require = createRequire(import.meta.url)
const wasmBinary = (path: string) => new Uint8Array(readFileSync(require.resolve(path))).buffer
const VIN = '9BWZZZ377VT004251'
const SIDE = 1080
const SEEN = 928

vi.setConfig({ testTimeout: 180_000 }) // these tests only compute, and a busy machine takes several times as long
beforeAll(() => {
  prepareReader({ overrides: { wasmBinary: wasmBinary('zxing-wasm/reader/zxing_reader.wasm') } })
  prepareWriter({ overrides: { wasmBinary: wasmBinary('zxing-wasm/writer/zxing_writer.wasm') } })
})

const finder = (picture: GrayPicture) => cropPicture(picture, (SIDE - SEEN) / 2, (SIDE - SEEN) / 2, SEEN, SEEN)

/** Decodes up to `frames` copies of one picture. Returns the accepted code and the number of frames needed. */
async function decode(picture: GrayPicture, frames = 15) {
  const decoder = createDecoder(readBarcodes, undefined, null, () => 0)
  for (let frame = 1; frame <= frames; frame++) {
    const { codes } = await decoder.decode(finder(picture))
    if (codes[0] !== undefined) return { ...codes[0], frame }
  }
  return null
}
const label = (format: WriteInputBarcodeFormat, text: string, options: LabelOptions) => drawLabelPicture(format, text, { width: SIDE, height: SIDE, ...options })

test.each([
  ['Code39', 'code_39', VIN, VIN, 2.6],
  ['Code128', 'code_128', VIN, VIN, 2.6],
  ['Code93', 'code_93', VIN, VIN, 2.6],
  ['EAN13', 'ean_13', '4006381333931', '4006381333931', 3],
  ['EAN8', 'ean_8', '96385074', '96385074', 3],
  ['UPCA', 'upc_a', '036000291452', '0036000291452', 3],
  ['UPCE', 'upc_e', '01234565', '0012345000065', 3],
  ['PDF417', 'pdf417', VIN, VIN, 3],
  ['QRCode', 'qr_code', VIN, VIN, 6],
  ['MicroQRCode', 'micro_qr_code', '1234567', '1234567', 6],
  ['DataMatrix', 'data_matrix', VIN, VIN, 6],
] as const)('%s is read from the finder', async (format, name, text, plain, module) => {
  expect(await decode(await label(format, text, { module }), 3)).toMatchObject({ format: name, text: plain })
})

test.each([15, 30, 45, 75])('Code 39 and Code 128 are read at %d°, and the outline lies on the label', async (turn) => {
  for (const format of ['Code39', 'Code128'] as const) {
    const code = await decode(await label(format, VIN, { module: 2.4, turn }))
    expect(code).toMatchObject({ text: VIN })
    const middle = (code?.corners ?? []).reduce((sum, { x, y }) => ({ x: sum.x + x / 4, y: sum.y + y / 4 }), { x: 0, y: 0 })
    expect(Math.hypot(middle.x - SEEN / 2, middle.y - SEEN / 2)).toBeLessThan(40)
  }
})

test.each([5, 4, 3, 2])('Data Matrix of %d px modules is read', async (module) => {
  expect(await decode(await label('DataMatrix', VIN, { module, turn: 7 }))).toMatchObject({ text: VIN })
})

test.each([
  ['low light', { white: 50, black: 20, noise: 3, turn: 20 }],
  ['blur', { blur: 1, turn: 8 }],
  ['glare', { glare: 0.5 }],
  ['a slant', { perspective: 0.3, turn: 12 }],
])('%s does not keep Code 39, Code 128 and Data Matrix from being read', async (_, options) => {
  for (const format of ['Code39', 'Code128', 'DataMatrix'] as const) {
    expect(await decode(await label(format, VIN, { module: format === 'DataMatrix' ? 5 : 2.6, ...options }))).toMatchObject({ text: VIN })
  }
})

test('two codes in view are both seen when several are asked for', async () => {
  const scene = createBackground(SIDE, SIDE)
  placeLabel(scene, await drawSymbol('QRCode', 'first'), { module: 5, y: 380 })
  placeLabel(scene, await drawSymbol('DataMatrix', 'second'), { module: 6, y: 700 })
  const decoder = createDecoder(readBarcodes, undefined, null, () => 0)
  const { codes } = await decoder.decode(finder(simulateCamera(scene, {})), { mode: 'every' })
  expect(codes.map(({ text }) => text).toSorted()).toEqual(['first', 'second'])
})

test('the rehearsal reads its labels, upright and tilted, and ends with the first order', async () => {
  const decoder = createDecoder(readBarcodes, undefined, null, () => 0)
  const found: DecodedFrame[] = []
  expect(await warmUpDecoder(async (picture) => found.push(await decoder.decode(toGrayscale(picture))), () => true)).toBe(10)
  expect(found.slice(0, 5).map(({ seen: sight, extraPass }) => [sight?.format, extraPass])).toEqual([['data_matrix', null], ['code_128', null], ['code_39', 'rotated'], ['code_39', 'rotated'], [undefined, 'rotated and denoised']])
  let idle = true
  expect(await warmUpDecoder(async () => { idle = false }, () => idle)).toBe(1)
})

test.each(['PDF417', 'QRCode', 'DataMatrix'] as const)('%s has its turn soon, whenever it comes into view', async (format) => {
  const [car, code] = [finder(createBackground(SIDE, SIDE)), finder(await label(format, VIN, { module: format === 'PDF417' ? 3 : 6 }))]
  for (const before of [0, 1, 2]) {
    const decoder = createDecoder(readBarcodes, undefined, null, () => 0)
    for (let frame = 0; frame < before; frame++) expect((await decoder.decode(car)).seen).toBeNull()
    const read: (string | undefined)[] = []
    for (let frame = 0; frame < 3; frame++) read.push((await decoder.decode(code)).codes[0]?.text)
    expect(read).toContain(VIN)
  }
})

test.each(['QRCode', 'DataMatrix'] as const)('%s is read light on dark too', async (format) => {
  const picture = await label(format, VIN, { module: 6 })
  expect(await decode({ ...picture, data: picture.data.map((shade) => 255 - shade) }, 3)).toMatchObject({ text: VIN })
})

test.each([['Code39', VIN, VIN], ['Code128', VIN, VIN], ['Code93', VIN, VIN], ['EAN13', '4006381333931', '4006381333931'], ['UPCE', '01234565', '0012345000065']] as const)('%s is read with light bars on dark, straight and tilted', async (format, text, plain) => {
  for (const turn of [0, 20, 90]) {
    const picture = await label(format, text, { module: 2.6, turn })
    expect((await decode({ ...picture, data: picture.data.map((shade) => 255 - shade) }, 12))?.text, `${turn}°`).toBe(plain)
  }
})

test.each([10, 30, 70])('a VIN label at %d° is taken, not the part code beside it, whatever was in view before', async (turn) => {
  const scene = createBackground(SIDE, SIDE)
  placeLabel(scene, await drawSymbol('QRCode', 'P5521-88'), { module: 6, x: 300, y: 300 })
  for (const format of ['Code39', 'Code128'] as const) {
    const both = { ...scene, data: scene.data.slice() }
    placeLabel(both, await drawSymbol(format, VIN), { module: 2, turn, x: 560, y: 640 })
    for (const before of [0, 1, 2]) {
      const decoder = createDecoder(readBarcodes, undefined, null, () => 0)
      const { choose } = createCodeSelector((text) => (text === VIN ? 'full' : 'none'))
      for (let frame = 0; frame < before; frame++) await decoder.decode(finder(createBackground(SIDE, SIDE)))
      let taken = choose(await decoder.decode(finder(simulateCamera(both, {}))))
      for (let frame = 0; frame < 8 && taken.code === null; frame++) taken = choose(await decoder.decode(finder(simulateCamera(both, {}, frame)), { mode: taken.several ? 'every' : 'first' }))
      expect(taken.code?.text, `${format} after ${before} pictures`).toBe(VIN)
    }
  }
})

test('a tilted PDF417 is read right, never from an averaged picture, and on two equal readings', async () => {
  for (const turn of [15, 100]) {
    const decoder = createDecoder(async (file, options) => {
      const found = await readBarcodes(file, options)
      if (!options.tryInvert && options.tryRotate === false) expect(options.formats).not.toContain('PDF417')
      return found
    }, undefined, null, () => 0)
    let codes: string[] = []
    for (let frame = 0; frame < 30 && codes.length === 0; frame++) {
      const found = await decoder.decode(finder(await label('PDF417', VIN, { module: 2.6 + frame / 50, turn })))
      codes = found.codes.map(({ text }) => text)
    }
    expect(codes).toEqual([VIN])
  }
})

test('while a car sheet is open, the pass that read the label last notices that it is still in view', async () => {
  const picture = finder(await label('Code39', VIN, { module: 2.4, turn: 25 }))
  const decoder = createDecoder(readBarcodes, undefined, null, () => 0)
  let read: DecodedFrame | null = null
  for (let frame = 0; frame < 12 && !read?.codes[0]; frame++) read = await decoder.decode(picture)
  for (let look = 0; look < 4; look++) expect((await decoder.decode(picture, { mode: 'watch' })).seen?.text).toBe(VIN)
  expect((await decoder.decode(finder(createBackground(SIDE, SIDE)), { mode: 'watch' })).seen).toBeNull()
})

test('texture and noise are no codes', async () => {
  for (const shade of [(x: number) => (Math.sin(x / 3) + Math.sin(x / 7.3) > 0.3 ? 30 : 220), (x: number, y: number) => ((x * 7919 + y * 104_729) % 251)]) {
    const scene = createBackground(SIDE, SIDE)
    scene.data = scene.data.map((_, index) => shade(index % SIDE, Math.floor(index / SIDE)))
    expect(await decode(simulateCamera(scene, { noise: 8 }), 8)).toBeNull()
  }
})

test('stripes of one period, as of a grille, are no EAN or UPC code', async () => {
  const { picture } = drawTrapFrame(1935) // the pass on the unmodified frame reads a UPC-A with a right check digit
  const [first] = await readBarcodes(encodePgm(picture), buildReaderOptions(SCANNER_DECODER_SETTINGS, ['linear']))
  expect([first?.isValid, toFormatName(first?.format ?? '', first?.text)]).toEqual([true, 'upc_a'])
  const decoder = createDecoder(readBarcodes, undefined, null, () => 0)
  for (let frame = 0; frame < 8; frame++) expect((await decoder.decode(picture)).codes).toEqual([])
})

const detectorSettings = (formats: ConstructorParameters<typeof BarcodeDetector>[0] = {}) => new BarcodeDetector(formats).settings

test('a photograph gives every code with its place, tilted ones and two with the same text too', async () => {
  const scene = createBackground(2400, 1800)
  placeLabel(scene, await drawSymbol('QRCode', 'P5521'), { module: 8, x: 400, y: 400 })
  placeLabel(scene, await drawSymbol('QRCode', 'P5521'), { module: 8, x: 1900, y: 500 })
  placeLabel(scene, await drawSymbol('Code128', VIN), { module: 4, turn: 20, x: 1200, y: 1200 })
  const codes = await decodePhotograph(createDecoder(readBarcodes, detectorSettings()), simulateCamera(scene, {}))
  const places = codes.map(({ text, corners }) => [text, ...['x', 'y'].map((axis) => Math.round(corners.reduce((sum, corner) => sum + corner[axis as 'x' | 'y'] / 400, 0)))])
  expect(places.toSorted()).toEqual([[VIN, 12, 12], ['P5521', 19, 5], ['P5521', 4, 4]])
})

test('a detector reads its formats and groups alone', async () => {
  const scene = createBackground(1000, 800)
  placeLabel(scene, await drawSymbol('Aztec', 'aztec'), { module: 6, x: 250, y: 250 })
  placeLabel(scene, await drawSymbol('ITF', '00012345678905'), { module: 3, x: 600, y: 600 })
  const read = async (formats: NonNullable<ConstructorParameters<typeof BarcodeDetector>[0]>['formats']) =>
    (await decodePhotograph(createDecoder(readBarcodes, detectorSettings({ formats })), simulateCamera(scene, {}))).map(({ text }) => text).toSorted()
  expect([await read(['any']), await read(['matrix_codes']), await read(['itf'])]).toEqual([['00012345678905', 'aztec'], ['aztec'], ['00012345678905']])
  expect(await read(['code_39'])).toEqual([])
})

test('of sixteen pictures of micro QR codes, all that the plain engine reads are read', async () => {
  const settings = detectorSettings({ formats: ['micro_qr_code', 'qr_code', 'data_matrix'] })
  const missed: string[] = []
  let plain = 0
  for (const text of ['1', '12345', 'AB12', 'Patio 1234']) {
    for (const options of [{ module: 3 }, { module: 4, turn: 25, blur: 0.8 }, { module: 9, turn: 40, perspective: 0.35 }, { module: 5, white: 70, black: 30, noise: 6 }]) {
      const picture = await drawLabelPicture('MicroQRCode', text, { width: 640, height: 480, ...options })
      const found = await readBarcodes(encodePgm(picture), buildReaderOptions(settings, ['matrix']))
      if (!found.some((one) => one.text === text)) continue
      plain++
      const ours = await decodePhotograph(createDecoder(readBarcodes, settings), picture)
      if (ours.length !== 1 || ours[0]?.text !== text) missed.push(`${text} ${JSON.stringify(options)}`)
    }
  }
  expect(missed).toEqual([])
  expect(plain).toBeGreaterThanOrEqual(14)
})

const ASCII = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)).join('')
const PAIRS = Array.from({ length: 100 }, (_, index) => String(index).padStart(2, '0')).join('')
const [DIGITS_AND_LETTERS, SIGNS] = ['0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ', '-. $/+%']
test.each([
  ['Code128', CODE_128_SYMBOLOGY, [ASCII.slice(0, 40), ASCII.slice(40, 70), ASCII.slice(70), PAIRS.slice(0, 80), PAIRS.slice(80, 160), PAIRS.slice(160)]],
  ['Code39', createCode39Symbology(2), [DIGITS_AND_LETTERS, SIGNS]],
  ['Code93', CODE_93_SYMBOLOGY, [DIGITS_AND_LETTERS, SIGNS]],
] as const)('the blurred-code decoder has the characters of %s', async (format, { characters, textOf }, texts) => {
  for (const text of texts) {
    const { symbol } = await writeBarcode(text, { format, scale: 1, addQuietZones: false })
    const row = Array.from(symbol.data.slice(0, symbol.width), (shade) => (shade < 128 ? '1' : '0')).join('')
    const runs = (row.match(/1+|0+/g) ?? []).map((run) => run.length)
    const size = characters[0]?.length ?? 0
    const values = Array.from({ length: Math.floor((runs.length + 1) / size) }, (_, place) => characters.findIndex((widths) => widths.every((width, index) => (runs[place * size + index] ?? 1) === width)))
    expect(textOf(values.slice(0, -1)), text).toBe(text)
  }
})

test('labels that the engine does not read are read softly within a few pictures', async () => {
  for (const format of ['Code39', 'Code128'] as const) {
    const picture = finder(await label(format, VIN, { module: 2, blur: 1.5, turn: 8 }))
    const decoder = createDecoder(readBarcodes, undefined, async (frame, directions) => decodeBlurredCode(frame, directions), () => 0)
    const looks: string[] = []
    for (let frame = 0; frame < 12 && !looks.includes(VIN); frame++) looks.push(...(await decoder.decode(picture)).codes.map(({ text }) => text))
    expect(looks).toEqual([VIN])
  }
})
