import { expect, test } from 'vitest'
import type { ReadResult } from 'zxing-wasm/reader'
import { createFake } from '../../testing/createFake'
import { drawBars } from '../../testing/drawBars'
import { encodeCode39 } from '../../testing/barcodeEncoders'
import type { BlurredCode } from './blurred/blurredDecoder'
import { createDecoder, POSTPONE_EXTRA_PASS_AFTER_MS, type DecodeMode } from './decoder'
import { SCANNER_DECODER_SETTINGS } from './decoderSettings'

const STRIPES = drawBars({ widths: encodeCode39('WVWZZZ1K'), module: 2, side: 480 })

/** Decodes eight frames with an engine that reads nothing. Returns for each frame whether it was decoded unmodified, and its extra pass. */
async function passesOf(passMs: number): Promise<[boolean, string | null][]> {
  let now = 0
  const read = async () => {
    now += passMs
    return []
  }
  const decoder = createDecoder(read, SCANNER_DECODER_SETTINGS, async () => null, () => now)
  const passes: [boolean, string | null][] = []
  for (let frame = 0; frame < 8; frame++) {
    const { unmodifiedPassMs, extraPass } = await decoder.decode(STRIPES)
    passes.push([unmodifiedPassMs !== null, extraPass])
  }
  return passes
}

test('a frame has a plain and an extra pass; a long plain pass leaves the extra pass to the next frame', async () => {
  const quick = await passesOf(POSTPONE_EXTRA_PASS_AFTER_MS)
  expect(quick).toEqual(['rotated and denoised', 'inverted matrix', 'enlarged', 'blurred', 'inverted', 'normalized contrast', 'enlarged', 'blurred'].map((look) => [true, look]))
  const slow = await passesOf(POSTPONE_EXTRA_PASS_AFTER_MS + 1)
  expect(slow).toEqual([null, 'rotated and denoised', null, 'blurred', null, 'inverted matrix', null, 'blurred'].map((look) => [look === null, look]))
})

const CORNER = { x: 0, y: 0 }
const BLURRED: BlurredCode = { text: 'HB20 000123', format: 'code_39', corners: [CORNER, CORNER, CORNER, CORNER], certain: true, alternatives: [] }
const DOUBTFUL: BlurredCode = { ...BLURRED, certain: false, alternatives: ['HB20 000128'] }

/** Creates a decoder whose engine reads nothing, and decodes frames with the blurred code `found` until the blurred-code pass has run once. */
async function decodeBlurredLabel(found: BlurredCode, mode: DecodeMode) {
  const label: { found: BlurredCode | null } = { found }
  const decoder = createDecoder(async () => [], SCANNER_DECODER_SETTINGS, async () => label.found, () => 0)
  for (let frame = 0; frame < 8; frame++) {
    const decoded = await decoder.decode(STRIPES, { mode })
    if (decoded.extraPass === 'blurred') return { decoder, decoded, label }
  }
  throw new Error('no blurred-code pass ran')
}

test.each([['certain', BLURRED], ['doubtful', DOUBTFUL]])('the mode watch sees a %s code that only the blurred-code pass reads, in every frame until the label is gone', async (_, found) => {
  const { decoder, label } = await decodeBlurredLabel(found, 'first')
  for (let frame = 0; frame < 4; frame++) expect((await decoder.decode(STRIPES, { mode: 'watch' })).seen?.text).toBe(BLURRED.text)
  label.found = null
  expect((await decoder.decode(STRIPES, { mode: 'watch' })).seen).toBeNull()
})

test('the mode every returns a doubtful code, as the mode first does', async () => {
  const expected = { code: { text: BLURRED.text }, alternatives: DOUBTFUL.alternatives }
  for (const mode of ['first', 'every'] as const) expect((await decodeBlurredLabel(DOUBTFUL, mode)).decoded.doubtful).toMatchObject(expected)
})

test('the mode watch runs the plain pass again after, in the mode every, only that pass has read the label', async () => {
  const position = { topLeft: CORNER, topRight: { x: 400, y: 0 }, bottomRight: { x: 400, y: 90 }, bottomLeft: { x: 0, y: 90 } }
  const vin = createFake<ReadResult>({ isValid: true, text: '1M8GDM9AXKP042788', format: 'Code39', position })
  let readable = { plain: false, extra: true }
  const isPlain = (formats: unknown) => Array.isArray(formats) && formats.includes('QRCode')
  const decoder = createDecoder(async (_, { formats }) => ((isPlain(formats) ? readable.plain : readable.extra) ? [vin] : []), SCANNER_DECODER_SETTINGS, null, () => 0)
  const read = async (mode: DecodeMode) => {
    const { codes, extraPass } = await decoder.decode(STRIPES, { mode })
    return [codes.length, extraPass]
  }
  expect([await read('first'), await read('watch')]).toEqual([[1, 'rotated and denoised'], [1, 'rotated and denoised']])
  readable = { plain: true, extra: true }
  expect([await read('every'), await read('watch')]).toEqual([[1, 'rotated and denoised'], [1, 'rotated and denoised']])
  readable = { plain: true, extra: false }
  expect([await read('every'), await read('watch')]).toEqual([[1, 'second direction'], [1, null]])
})
