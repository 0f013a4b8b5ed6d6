import { expect, test } from 'vitest'
import { createScanConfirmer, isPlausibleLabelText } from './scanConfirmer'
import { computeNextZoom } from './camera'
import { createCodeSelector } from './codeSelector'
import { computeScanRegion, toNormalizedViewPoint } from './scanRegion'
import { getAngleBetweenDirections, findStripeDirections, getTiltFromImageAxis } from './stripeDirections'
import { toFormatName } from './decoderSettings'
import { enhanceBars, normalizeContrast } from './contrast'
import { createBlankPicture, blurPicture, cropPicture, encodePgm, toGrayscale, downsampleByTwo, mapToSourcePoint, scalePicture, blurAndDownsampleByTwo, rotatePicture } from './pixels'
import { DUPLICATE_RESET_MS, createDuplicateFilter } from './duplicateFilter'
import { listPhotographScales } from './photograph'
import { hasValidCheckDigit } from '@/lib/vin'

const DEGREE = Math.PI / 180
/** Picture of stripes; the angle is the direction across them. */
function stripes(angle: number, period = 12, size = 300) {
  const picture = createBlankPicture(size, size)
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) picture.data[y * size + x] = 128 + 100 * Math.sign(Math.sin(((x * Math.cos(angle) + y * Math.sin(angle)) * 2 * Math.PI) / period))
  }
  return picture
}

test.each([0, 15, 30, 45, 60, 88, -20, -70])('stripes at %d° are found to a degree', (degrees) => {
  const [found] = findStripeDirections(stripes(degrees * DEGREE))
  expect(getAngleBetweenDirections(found ?? NaN, degrees * DEGREE)).toBeLessThan(DEGREE)
})

test('a plain picture has no direction, and tilt is measured from rows and columns', () => {
  expect(findStripeDirections(createBlankPicture(200, 200))).toEqual([])
  expect([getTiltFromImageAxis(80 * DEGREE), getTiltFromImageAxis(-5 * DEGREE)].map((angle) => Math.round(angle / DEGREE))).toEqual([10, 5])
})

test('turned by its direction, a picture has its stripes upright', () => {
  const { picture } = rotatePicture(stripes(30 * DEGREE), 30 * DEGREE)
  expect(Math.abs(findStripeDirections(picture)[0] ?? 9)).toBeLessThan(DEGREE)
})

test('places of a turned and enlarged picture lead back to where they were', () => {
  const { back } = rotatePicture(createBlankPicture(400, 300), 40 * DEGREE, 400, 300, 2)
  const middle = mapToSourcePoint(back, { x: 200, y: 150 })
  expect([Math.round(middle.x), Math.round(middle.y)]).toEqual([200, 150])
  const right = mapToSourcePoint(back, { x: 220, y: 150 })
  expect([(right.x - 200) / Math.cos(40 * DEGREE), (right.y - 150) / Math.sin(40 * DEGREE)].map(Math.round)).toEqual([10, 10])
})

test('a canvas gives shades, and the engine gets them as a file of one byte a pixel', () => {
  const data = new Uint8ClampedArray([255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 90, 90, 90, 0])
  const picture = toGrayscale({ width: 4, height: 1, data })
  expect([...picture.data]).toEqual([76, 149, 28, 90])
  const file = encodePgm(picture)
  expect(new TextDecoder().decode(file.slice(0, 11))).toBe('P5 4 1 255\n')
  expect(file.slice(11)).toEqual(picture.data)
})

test('softened is blurred and halved at once', () => {
  const picture = stripes(0.4)
  const both = downsampleByTwo(blurPicture(picture, 1))
  const soft = blurAndDownsampleByTwo(picture)
  expect([soft.width, soft.height]).toEqual([both.width, both.height])
  expect(soft.data.every((shade, index) => Math.abs(shade - (both.data[index] ?? 0)) <= 2)).toBe(true)
})

test('sizes: halves, other sizes, parts', () => {
  const picture = createBlankPicture(101, 60)
  expect([downsampleByTwo(picture), scalePicture(picture, 0.3), cropPicture(picture, 90, 10, 30, 20)].map(({ width, height }) => [width, height])).toEqual([[50, 30], [30, 18], [11, 20]])
})

test('even contrast brings back what is faint on both sides of a shadow', () => {
  const picture = stripes(0)
  const shaded = { ...picture, data: picture.data.map((shade, index) => (index % 300 < 150 ? 40 + shade / 20 : 150 + shade / 10)) }
  for (const result of [normalizeContrast(shaded), enhanceBars(shaded, 3), enhanceBars(shaded, 3, 2)]) {
    const row = [...result.data.subarray(150 * 300 + 40, 150 * 300 + 110)]
    expect(Math.max(...row) - Math.min(...row)).toBeGreaterThan(80)
  }
})

test('the decoded square is 0.86 of the short side, in the middle, whichever way the phone is held', () => {
  expect([computeScanRegion(1920, 1080), computeScanRegion(1080, 1920)]).toEqual([{ left: 496, top: 76, side: 929 }, { left: 76, top: 496, side: 929 }])
  expect(toNormalizedViewPoint({ x: 464.5, y: 0 }, 1920, 1080)).toEqual({ x: 0.5, y: expect.closeTo(0.07, 3) })
})

const plain = (format: string, text: string) => ({ format, text, isUnmodified: true })
test('checked codes are believed at once, Code 39 and turned looks the second time', () => {
  const confirmation = createScanConfirmer()
  const confirmed = [plain('qr_code', 'x'), plain('data_matrix', 'x'), plain('code_128', 'HB20 000123'), plain('code_39', 'HB20 000123'), plain('code_39', 'HB20 000123'),
    { ...plain('code_93', 'HB20 000123'), isUnmodified: false }, plain('ean_8', '96385074'), plain('code_39', 'AB'), plain('code_39', 'AB'), plain('code_39', 'AB')]
  expect(confirmed.map((sighting) => confirmation.confirms(sighting))).toEqual([true, true, true, false, true, false, false, false, false, true])
})

test('PDF417 needs two equal readings, a micro QR code of four characters one', () => {
  const confirmation = createScanConfirmer()
  const confirmed = [plain('pdf417', 'HB20'), plain('pdf417', 'HB20'), plain('micro_qr_code', '1234'), plain('micro_qr_code', '12'), plain('micro_qr_code', '12')]
  expect(confirmed.map((sighting) => confirmation.confirms(sighting))).toEqual([false, true, true, false, true])
})

test('a VIN with a right check digit proves itself, with the import mark too', () => {
  const confirmation = createScanConfirmer()
  expect(['1M8GDM9AXKP042788', 'I1M8GDM9AXKP042788', '1M8GDM9A0KP042788'].map((text) => confirmation.confirms(plain('code_39', text)))).toEqual([true, true, false])
})

test('a sighting is forgotten after a while and at once on request', () => {
  const confirmation = createScanConfirmer()
  confirmation.confirms(plain('code_39', 'HB20 000123'))
  for (let frame = 0; frame < 60; frame++) confirmation.nextFrame()
  expect(confirmation.confirms(plain('code_39', 'HB20 000123'))).toBe(false)
  confirmation.clear()
  expect(confirmation.confirms(plain('code_39', 'HB20 000123'))).toBe(false)
})

test('texts with control characters are noise in linear codes, the separators of makers are not', () => {
  const linear = ['\u0001A\u0002', '  ', '[)>\u001e06\u001dVHB20\u001e\u0004', 'a\tb\r\n', '- -'].map((text) => isPlausibleLabelText(text, 'code_128'))
  expect(linear).toEqual([false, false, true, true, false])
  expect([isPlausibleLabelText('\u0000HB20', 'data_matrix'), isPlausibleLabelText('\u0000', 'data_matrix')]).toEqual([true, false])
})

test('check digits: weights modulo 11, X for ten', () => {
  expect(['1M8GDM9AXKP042788', '11111111111111111', '9BWZZZ377VT004251', '1M8GDM9AXKP04278', '1M8GDM9AXKPO42788'].map(hasValidCheckDigit)).toEqual([true, true, false, false, false])
})

const code = (text: string) => ({ text, format: 'code_39', corners: [] })
const decoded = (...texts: string[]) => ({ codes: texts.map(code), seen: null, unmodifiedPassMs: 1, extraPass: null })
test('of several codes in view the fitting one is taken, else the first after a look around', () => {
  const { choose } = createCodeSelector((text) => text === 'mine')
  expect(choose(decoded('other'))).toEqual({ code: null, several: true })
  expect(choose(decoded('other', 'mine')).code?.text).toBe('mine')
  const answers = [decoded('other'), decoded('more', 'other'), decoded()].map((seen) => choose(seen).code?.text ?? null)
  expect(answers).toEqual([null, null, 'other'])
})

test('a part of an identifier gives way to a full one in the next pictures, which are more while a code needs another sighting', () => {
  const { choose } = createCodeSelector((text) => (text === 'full' ? 'full' : text === 'part' ? 'part' : 'none'))
  expect(choose(decoded('other'))).toEqual({ code: null, several: true })
  for (let picture = 0; picture < 5; picture++) expect(choose({ ...decoded('part', 'other'), hasUnconfirmed: true }).code).toBeNull()
  expect(choose(decoded('full'))).toMatchObject({ code: { text: 'full' }, fitting: true })
  expect(choose(decoded('part')).code).toBeNull()
  expect([choose(decoded('part')), choose(decoded())].map(({ code: taken, fitting }) => [taken?.text, fitting])).toEqual([[undefined, undefined], ['part', true]])
})

test('lines of a label that do not fit pass once each while something is in view', () => {
  let now = 0
  const gate = createDuplicateFilter(() => now)
  expect([gate.isNew('car'), gate.isNew('part', false), gate.isNew('part', false), gate.isNew('car')]).toEqual([true, true, false, false])
  now += DUPLICATE_RESET_MS
  gate.sees() // back in view after a break, so every label is new
  expect([gate.isNew('car'), gate.isNew('part', false)]).toEqual([true, true])
})

test('a text that the page has refused is passed over while it is in view, so that the search goes on', () => {
  let now = 0
  const gate = createDuplicateFilter(() => now)
  const { choose } = createCodeSelector((text) => (text === 'mine' ? 'full' : 'none'), gate.isRefused)
  const answers = [decoded('part'), decoded('part'), decoded('part')].map((seen) => choose(seen))
  expect(answers.at(-1)).toMatchObject({ code: { text: 'part' }, fitting: false })
  expect(gate.isNew('part', false)).toBe(true)
  for (let frame = 0; frame < 9; frame++) expect(choose(decoded('part'))).toEqual({ code: null, several: true })
  expect(choose(decoded('part', 'mine'))).toMatchObject({ code: { text: 'mine' }, fitting: true })
  now += DUPLICATE_RESET_MS
  expect(gate.isRefused('part')).toBe(false)
})

test('a label passes once until it has left the view', () => {
  let now = 0
  const gate = createDuplicateFilter(() => now)
  expect([gate.isNew('a'), gate.isNew('a')]).toEqual([true, false])
  for (let frame = 0; frame < 30; frame++) {
    now += 100
    gate.sees()
  }
  expect(gate.isNew('a')).toBe(false)
  now += DUPLICATE_RESET_MS
  expect([gate.isNew('a'), gate.isNew('b'), gate.isNew('a')]).toEqual([true, true, true])
})

test('zoom goes in thirds of its range and stays within; zero is a zoom', () => {
  expect([computeNextZoom({ min: 1, max: 4, now: 1 }, 1), computeNextZoom({ min: 1, max: 4, now: 3.5 }, 1), computeNextZoom({ min: 0, max: 9, now: 2 }, -1)]).toEqual([2, 4, 0])
})

test('photographs are looked at as a whole, closer, and from farther away', () => {
  expect([createBlankPicture(4000, 3000), createBlankPicture(1200, 900), createBlankPicture(640, 480)].map((picture) => listPhotographScales(picture))).toEqual([[0.4, 0.8, 0.225], [1, 0.75], [1]])
})

test('formats have the names of the specification', () => {
  expect(['Code39Std', 'QRCodeModel2', 'UPCA', 'Aztec'].map((name) => toFormatName(name))).toEqual(['code_39', 'qr_code', 'upc_a', 'Aztec'])
  expect([toFormatName('EAN13', '0036000291452'), toFormatName('EAN13', '4006381333931')]).toEqual(['upc_a', 'ean_13'])
})
