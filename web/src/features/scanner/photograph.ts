import { addDistinctCode, type DecodedCode } from './decodedCode'
import type { Decoder } from './decoder'
import { EXTRA_DECODE_PASS_FACTORIES } from './decodePasses'
import { scalePicture, type GrayPicture } from './pixels'

const USUAL = 1600
const LARGEST = 3200
const SMALL = 900
/**
 * Scale factors for the successive copies of a photograph, which imitate the hand movement between camera frames. All factors differ, so
 * that two equal readings come from different pictures and confirm each other.
 */
const SCALE_FACTORS = [1, 0.94, 0.97, 0.92, 0.985, 0.955, 0.93, 0.975, 0.945, 0.99, 0.965]

/**
 * Returns the scale factors at which a photograph is decoded in turn: for a standard size, a larger size and a smaller size. A photograph
 * is never enlarged. The larger and the smaller size are left out if they would differ little from the standard size.
 */
export function listPhotographScales({ width, height }: GrayPicture): number[] {
  const longest = Math.max(width, height)
  const usual = Math.min(1, USUAL / longest)
  const sizes = [usual]
  if (longest > USUAL * 1.2) sizes.push(Math.min(1, LARGEST / longest))
  if (longest * usual > SMALL * 1.2) sizes.push(SMALL / longest)
  return sizes
}

/**
 * Decodes a photograph like successive camera frames, one frame per decoding pass and scale. Stops as soon as a code is accepted and no
 * further code is expected. Otherwise stops after the first scale at which a code was accepted. Returns the accepted codes with their
 * corners in the photograph.
 */
export async function decodePhotograph(decoder: Decoder, picture: GrayPicture): Promise<DecodedCode[]> {
  decoder.reset()
  const found: DecodedCode[] = []
  for (const size of listPhotographScales(picture)) {
    for (let frame = 0; frame <= EXTRA_DECODE_PASS_FACTORIES.length; frame++) {
      const scale = size * (SCALE_FACTORS[frame % SCALE_FACTORS.length] ?? 1)
      const { codes, hasUnconfirmed } = await decoder.decode(scalePicture(picture, scale), { mode: 'every', keepsFullFrame: true })
      for (const { corners, ...code } of codes) {
        addDistinctCode(found, { ...code, corners: corners.map(({ x, y }) => ({ x: x / scale, y: y / scale })) })
      }
      if (found.length > 0 && !hasUnconfirmed) return found
    }
    if (found.length > 0) return found
  }
  return found
}
