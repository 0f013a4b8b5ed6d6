import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { beforeAll, expect, test, vi } from 'vitest'
import { prepareZXingModule as prepareReader, readBarcodes } from 'zxing-wasm/reader'
import { prepareZXingModule as prepareWriter, type WriteInputBarcodeFormat } from 'zxing-wasm/writer'
import { background, labelPicture, place, seen, symbolOf, type LabelOptions } from '../../testing/labels'
import { createDecoder, type Decoded } from './decoder'
import { cut, grayOf, type Gray } from './pixels'
import { warmUp } from './warmup'

const require = createRequire(import.meta.url)
const wasmBinary = (path: string) => new Uint8Array(readFileSync(require.resolve(path))).buffer
const VIN = '9BWZZZ377VT004251'
const SIDE = 1080
const SEEN = 928

vi.setConfig({ testTimeout: 60_000 })
beforeAll(() => {
  prepareReader({ overrides: { wasmBinary: wasmBinary('zxing-wasm/reader/zxing_reader.wasm') } })
  prepareWriter({ overrides: { wasmBinary: wasmBinary('zxing-wasm/writer/zxing_writer.wasm') } })
})

const finder = (picture: Gray) => cut(picture, (SIDE - SEEN) / 2, (SIDE - SEEN) / 2, SEEN, SEEN)

/** What is believed within so many frames of a camera held still, and how many it took. */
async function decode(picture: Gray, frames = 15) {
  const decoder = createDecoder(readBarcodes)
  for (let frame = 1; frame <= frames; frame++) {
    const { codes } = await decoder.decode(finder(picture))
    if (codes[0] !== undefined) return { ...codes[0], frame }
  }
  return null
}
const label = (format: WriteInputBarcodeFormat, text: string, options: LabelOptions) => labelPicture(format, text, { width: SIDE, height: SIDE, ...options })

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
  const scene = background(SIDE, SIDE)
  place(scene, await symbolOf('QRCode', 'first'), { module: 5, y: 380 })
  place(scene, await symbolOf('DataMatrix', 'second'), { module: 6, y: 700 })
  const decoder = createDecoder(readBarcodes)
  const { codes } = await decoder.decode(finder(seen(scene, {})), { several: true })
  expect(codes.map(({ text }) => text).toSorted()).toEqual(['first', 'second'])
})

test('the rehearsal reads its labels, upright and tilted, and ends with the first order', async () => {
  const decoder = createDecoder(readBarcodes)
  const found: Decoded[] = []
  expect(await warmUp(async (picture) => found.push(await decoder.decode(grayOf(picture))), () => true)).toBe(10)
  expect(found.slice(0, 5).map(({ seen: sight, look }) => [sight?.format, look])).toEqual([['data_matrix', null], ['code_128', null], ['code_39', 'turned'], ['code_39', 'turned'], [undefined, 'turned and cleared']])
  let idle = true
  expect(await warmUp(async () => { idle = false }, () => idle)).toBe(1)
})

test.each(['PDF417', 'QRCode', 'DataMatrix'] as const)('%s has its turn soon, whenever it comes into view', async (format) => {
  const [car, code] = [finder(background(SIDE, SIDE)), finder(await label(format, VIN, { module: format === 'PDF417' ? 3 : 6 }))]
  for (const before of [0, 1, 2]) {
    const decoder = createDecoder(readBarcodes)
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

test('texture and noise are no codes', async () => {
  for (const shade of [(x: number) => (Math.sin(x / 3) + Math.sin(x / 7.3) > 0.3 ? 30 : 220), (x: number, y: number) => ((x * 7919 + y * 104_729) % 251)]) {
    const scene = background(SIDE, SIDE)
    scene.data = scene.data.map((_, index) => shade(index % SIDE, Math.floor(index / SIDE)))
    expect(await decode(seen(scene, { noise: 8 }), 8)).toBeNull()
  }
})
