import { expect, test, vi } from 'vitest'
import type { ReadResult } from 'zxing-wasm/reader'
import { drawBars } from '@/testing/drawBars'
import { encodeCode128, encodeCode39 } from '@/testing/barcodeEncoders'
import { createFake } from '@/testing/createFake'
import { drawGradedLabel, drawTrapFrame, BLURRED_FORMATS } from '@/testing/blurredFrames'
import { createBackground } from '@/testing/labels'
import { createDecoder } from '../decoder'
import { findStripeDirections } from '../stripeDirections'
import { SCANNER_DECODER_SETTINGS } from '../decoderSettings'
import { decodeBlurredCode } from './blurredDecoder'
import type { GrayPicture } from '../pixels'

vi.setConfig({ testTimeout: 120_000 })
const read = (picture: GrayPicture) => decodeBlurredCode(picture, findStripeDirections(picture))

test.each(BLURRED_FORMATS)('%s is read softly where the blur is two thirds of a module', (format) => {
  for (const seed of [1, 2]) {
    const { picture, text } = drawGradedLabel('soft', format, seed)
    expect(read(picture)).toMatchObject({ format, text, certain: true })
  }
})

test.each([['code_39', 'very blurred'], ['code_128', 'blurred'], ['code_93', 'blurred']] as const)('%s is read softly through strong noise, and where it is %s', (format, blurred) => {
  for (const grade of ['noisy', blurred] as const) {
    const { picture, text } = drawGradedLabel(grade, format, 1)
    expect(read(picture)).toMatchObject({ format, text, certain: true })
  }
})

test('a code that is upside down is read softly, and its corners lie on the label', () => {
  const widths = encodeCode39('WVWZZZ1K')
  const found = read(drawBars({ widths, module: 2, turn: 180, tall: 80, blur: 1, side: 640 }))
  expect(found?.text).toBe('WVWZZZ1K')
  const [topLeft, , bottomRight] = found?.corners ?? []
  const length = widths.reduce((sum, width) => sum + width, 0) * 2
  expect([topLeft, bottomRight].map((corner) => [(corner?.x ?? 0) - 320, (corner?.y ?? 0) - 320])).toEqual([
    [expect.closeTo(length / 2, -1), expect.closeTo(40, -1.5)],
    [expect.closeTo(-length / 2, -1), expect.closeTo(-40, -1.5)],
  ])
})

test('a code without its stop, with a wrong check character or without bars is not read softly', () => {
  const draw = (widths: number[]) => drawBars({ widths, module: 2, turn: 5, blur: 0.8, side: 640 })
  expect(read(draw(encodeCode128('ABCDE12345')))?.text).toBe('ABCDE12345')
  expect(read(draw(encodeCode128('ABCDE12345', 7)))).toBeNull()
  expect(read(draw(encodeCode128('ABCDE12345').slice(0, -7)))).toBeNull()
  expect(read(createBackground(640, 640))).toBeNull()
  expect(read(drawTrapFrame(64).picture)).toBeNull() // a part of this code looks like a code with a stop, where bars go on
})

test('a text without a check character that explains too little of its bars counts only when the list confirms it', () => {
  expect(read(drawTrapFrame(11_383).picture)).toMatchObject({ format: 'code_39', certain: false }) // its stop is missing
})

test('no text is wrong in frames without a code, with other codes and with badly blurred codes', () => {
  const wrong: string[] = []
  for (let number = 0; number < 24; number++) {
    const { picture, text, kind } = drawTrapFrame(number, 480)
    const found = read(picture)
    if (found?.certain && found.text !== text) wrong.push(`${number} ${kind}: ${found.text}`)
  }
  expect(wrong).toEqual([])
})

/**
 * Decodes frames with an engine that finds nothing. Returns the numbers of the frames on which the blurred-code decoder ran, and the codes.
 */
async function decodeFrames(pictures: readonly GrayPicture[], settings = SCANNER_DECODER_SETTINGS, sees = (_picture: number) => false) {
  const asked: number[] = []
  let frame = 0
  const seen = createFake<ReadResult>({ text: 'OTHER', format: 'Code39Std', isValid: true, position: { topLeft: { x: 0, y: 0 }, topRight: { x: 9, y: 0 }, bottomRight: { x: 9, y: 9 }, bottomLeft: { x: 0, y: 9 } } })
  const engine = async () => (sees(frame) ? [seen] : [])
  const found = { text: 'WVWZZZ1K', format: 'code_39' as const, certain: true, alternatives: [], corners: [] }
  const decoder = createDecoder(engine, settings, async () => {
    asked.push(frame)
    return found
  }, () => 0)
  const codes: string[] = []
  for (const picture of pictures) {
    frame++
    codes.push(...(await decoder.decode(picture)).codes.map(({ text }) => text))
  }
  return { asked, codes }
}

const STRIPES = drawBars({ widths: encodeCode39('WVWZZZ1K'), module: 2, side: 480 })
const times = (count: number, picture: GrayPicture) => Array.from({ length: count }, () => picture)

test('every fourth frame with stripes and without a code is read softly', async () => {
  expect(await decodeFrames(times(12, STRIPES))).toEqual({ asked: [4, 8, 12], codes: times(3, STRIPES).map(() => 'WVWZZZ1K') })
  expect((await decodeFrames(times(12, createBackground(480, 480)))).asked).toEqual([])
  expect((await decodeFrames(times(6, STRIPES), SCANNER_DECODER_SETTINGS, (frame) => frame <= 3)).asked).toEqual([])
})

test('a format that is not asked for is not read softly', async () => {
  expect((await decodeFrames(times(8, STRIPES), { ...SCANNER_DECODER_SETTINGS, linear: ['Code128'] })).codes).toEqual([])
})
