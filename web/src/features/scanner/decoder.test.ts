import { expect, test } from 'vitest'
import { drawBars } from '../../testing/drawBars'
import { encodeCode39 } from '../../testing/barcodeEncoders'
import { createDecoder, MAX_MS_BEFORE_EXTRA_PASS } from './decoder'
import { SCANNER_DECODER_SETTINGS } from './formats'

const STRIPES = drawBars({ widths: encodeCode39('WVWZZZ1K'), module: 2, side: 480 })

/** Decodes eight frames with an engine that reads nothing. Returns for each frame whether the plain pass ran, and the extra pass. */
async function passesOf(passMs: number): Promise<[boolean, string | null][]> {
  let now = 0
  const read = async () => {
    now += passMs
    return []
  }
  const decoder = createDecoder(read, SCANNER_DECODER_SETTINGS, async () => null, () => now)
  const passes: [boolean, string | null][] = []
  for (let frame = 0; frame < 8; frame++) {
    const { plainMs, extraPass } = await decoder.decode(STRIPES)
    passes.push([plainMs !== null, extraPass])
  }
  return passes
}

test('a frame has a plain and an extra pass; a long plain pass leaves the extra pass to the next frame', async () => {
  const quick = await passesOf(MAX_MS_BEFORE_EXTRA_PASS)
  expect(quick).toEqual(['turned and cleared', 'inverted matrix', 'enlarged', 'blurred', 'inverted', 'evened', 'enlarged', 'blurred'].map((look) => [true, look]))
  const slow = await passesOf(MAX_MS_BEFORE_EXTRA_PASS + 1)
  expect(slow).toEqual([null, 'turned and cleared', null, 'blurred', null, 'inverted matrix', null, 'blurred'].map((look) => [look === null, look]))
})
