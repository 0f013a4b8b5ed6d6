import type { Code, Decoder } from './decoder'
import { EXTRA } from './looks'
import { scaled, type Gray } from './pixels'

const USUAL = 1600
const LARGEST = 3200
const SMALL = 900
/** What a hand does between two frames: the second sighting of a code does not meet the same pixels. */
const STEADY = [1, 0.94, 0.97]

/** The sizes at which a photograph is looked at: as one sees it whole, then closer, then from farther away. */
export function sizesOf({ width, height }: Gray): number[] {
  const longest = Math.max(width, height)
  const usual = Math.min(1, USUAL / longest)
  const sizes = [usual]
  if (longest > USUAL * 1.2) sizes.push(Math.min(1, LARGEST / longest))
  if (longest * usual > SMALL * 1.2) sizes.push(SMALL / longest)
  return sizes
}

/** Decodes a photograph as if a camera were held before it for as many frames as there are looks. */
export async function decodeStill(decoder: Decoder, picture: Gray): Promise<Code | null> {
  decoder.reset()
  for (const size of sizesOf(picture)) {
    for (let frame = 0; frame <= EXTRA.length; frame++) {
      const shown = scaled(picture, size * (STEADY[frame % STEADY.length] ?? 1))
      const { codes } = await decoder.decode(shown, { whole: true })
      if (codes[0] !== undefined) return codes[0]
    }
  }
  return null
}
