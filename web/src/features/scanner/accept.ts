import { hasCheckDigit } from './vin'

/** A code that the engine saw in one look. */
export interface Sighting {
  text: string
  format: string
  /** Whether the look was at the picture as it is, not turned, sharpened or enlarged. */
  plain: boolean
}

/** Their error correction does not let a wrong text pass. */
const CERTAIN = new Set(['qr_code', 'data_matrix', 'pdf417'])
/** One check character over the whole text. */
const CHECKED = new Set(['code_128', 'code_93', 'ean_13', 'upc_a'])
const SHORT = 4
const AGAIN = 2
/** More sightings for what texture alone can look like: one or two characters without a check. */
const AGAIN_SHORT = 3
/** How long a sighting counts, in frames: about two seconds of a camera. */
const MEMORY = 40

/** Whether a text can have been printed on a label: something, and no control characters but separators. */
// eslint-disable-next-line no-control-regex
export const isPlausible = (text: string): boolean => text.trim() !== '' && !/[\u0000-\u0008\u000b\u000c\u000e-\u001b\u001f\u007f\ufffd]/.test(text)

/** A 17-character VIN with a right check digit, with or without the import mark before it. */
const provesItself = (text: string): boolean => hasCheckDigit(text) || (text.startsWith('I') && hasCheckDigit(text.slice(1)))

/** How often a text must be seen before it is believed. */
export function needed({ text, format, plain }: Sighting): number {
  if (CERTAIN.has(format)) return 1
  if (provesItself(text)) return 1
  if (CHECKED.has(format) && plain && text.length >= SHORT) return 1
  return text.length < SHORT && !CHECKED.has(format) ? AGAIN_SHORT : AGAIN
}

/** Decides when what was seen is believed; equal sightings of several looks and frames count together. */
export function createJudge() {
  const seen = new Map<string, { times: number; frame: number }>()
  let frame = 0
  return {
    nextFrame(): void {
      frame++
      for (const [key, sighting] of seen) if (frame - sighting.frame > MEMORY) seen.delete(key)
    },
    believes(sighting: Sighting): boolean {
      if (!isPlausible(sighting.text)) return false
      const key = `${sighting.format} ${sighting.text}`
      const times = (seen.get(key)?.times ?? 0) + 1
      seen.set(key, { times, frame })
      return times >= needed(sighting)
    },
    forget(): void {
      seen.clear()
    },
  }
}
