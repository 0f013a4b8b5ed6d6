import type { Locator } from '@playwright/test'

/** Colour as hue in degrees, with saturation and lightness from 0 to 1. */
export interface Hsl {
  hue: number
  saturation: number
  lightness: number
}

/** Returns a computed colour of an element, independent of the notation of the browser. */
export async function colourOf(part: Locator, property: 'color' | 'backgroundColor'): Promise<Hsl> {
  const [red, green, blue] = await part.evaluate((element, name) => {
    const canvas = document.createElement('canvas').getContext('2d')
    if (canvas === null) throw new Error('no canvas')
    canvas.fillStyle = getComputedStyle(element)[name]
    canvas.fillRect(0, 0, 1, 1)
    return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3).map((value) => value / 255)
  }, property) as [number, number, number]
  const [high, low] = [Math.max(red, green, blue), Math.min(red, green, blue)]
  const spread = high - low
  const lightness = (high + low) / 2
  const saturation = spread === 0 ? 0 : spread / (1 - Math.abs(2 * lightness - 1))
  const turn = spread === 0 ? 0 : high === red ? ((green - blue) / spread) % 6 : high === green ? (blue - red) / spread + 2 : (red - green) / spread + 4
  return { hue: (turn * 60 + 360) % 360, saturation, lightness }
}

const HUES: [string, number, number][] = [['red', 345, 15], ['orange', 15, 45], ['green', 100, 165], ['teal', 165, 182], ['blue', 200, 250], ['purple', 255, 290]]

/** Returns the everyday name of a colour. */
export function colourNameOf({ hue, saturation, lightness }: Hsl): string {
  if (saturation < 0.5 && lightness < 0.15) return 'black'
  if (saturation < 0.2) return 'grey'
  return HUES.find(([, from, to]) => (from < to ? hue >= from && hue < to : hue >= from || hue < to))?.[0] ?? `hue ${Math.round(hue)}`
}
