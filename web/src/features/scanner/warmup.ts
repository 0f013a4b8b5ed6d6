import { cropOf } from './crop'
import type { Rgba } from './pixels'

/** As much as is decoded of a picture of the size that cameras are asked for. */
const { side: SIDE } = cropOf(1080, 1080)
const TILT = Math.PI / 6
const BAR = 3
const REACH = 100
const [GROUND, DARK, LIGHT] = [0xff6e6e6e, 0xff1e1e1e, 0xffe1e1e1]

/** A tilted band of bars that no code is made of: what sends the decoder along its longest way. */
export function bars(side = SIDE): Rgba {
  const pixels = new Uint32Array(side * side)
  const [cos, sin] = [Math.cos(TILT), Math.sin(TILT)]
  for (let y = 0, index = 0; y < side; y++) {
    for (let x = 0; x < side; x++, index++) {
      const [across, along] = [cos * (x - side / 2) + sin * (y - side / 2), cos * (y - side / 2) - sin * (x - side / 2)]
      const bar = Math.floor(across / BAR)
      const inside = Math.abs(along) < REACH && Math.abs(across) < 3 * REACH
      pixels[index] = !inside ? GROUND : (bar * bar * 7 + bar * 3) % 11 < 5 ? DARK : LIGHT
    }
  }
  return { width: side, height: side, data: new Uint8ClampedArray(pixels.buffer) }
}

const ROUNDS = 6
/** Lets orders that came meanwhile go first. */
const pause = () => new Promise<void>((resolve) => { setTimeout(resolve) })

/**
 * Decodes a picture of no code until the browser has compiled well what that takes: the first pictures cost several
 * times as much as the later ones, and those are the ones for which a person waits. Ends early when there is something
 * real to decode. Returns how often it was done.
 */
export async function warmUp(decode: (picture: Rgba) => Promise<unknown>, isIdle: () => boolean): Promise<number> {
  const picture = bars()
  let rounds = 0
  for (; rounds < ROUNDS && isIdle(); rounds++) {
    await decode(picture)
    await pause()
  }
  return rounds
}
