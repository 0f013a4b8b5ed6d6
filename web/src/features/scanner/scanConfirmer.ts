import { hasValidCheckDigit } from '../../lib/vin'

/** A code decoded in one pass, before its confirmation. */
export interface CodeReading {
  text: string
  format: string
  /** Whether the decoding pass used the unmodified picture, not a rotated, sharpened or enlarged picture. */
  isUnmodified: boolean
  /** Whether the decoder of blurred codes read the text, with every character certain. */
  isBlurred?: boolean
}

/** Formats whose error correction rules out a wrong text. */
const CERTAIN = new Set(['qr_code', 'data_matrix'])
/** Formats whose texts may contain any character, including control characters. */
const MATRIX = new Set([...CERTAIN, 'pdf417'])
/** Formats with a check character or with error correction over the full text. A misread text rarely passes this check. */
const CHECKED = new Set(['code_128', 'code_93', 'ean_13', 'upc_a', 'micro_qr_code'])
const SHORT = 4
const AGAIN = 2
/** Number of equal readings required for short texts without a check character, because the texture of a surface can look like a short barcode. */
const SHORT_TEXT_READINGS = 3
/** Number of frames for which a decoded text counts toward its confirmation, about two seconds of camera pictures. */
const MEMORY_FRAMES = 40

const RETAIL = new Set(['ean_13', 'ean_8', 'upc_a', 'upc_e'])
/** Minimum number of digits of a long EAN or UPC text, such as UPC-A or EAN-13. */
const LONG = 12

/**
 * Returns whether an EAN or UPC text was probably misread from evenly spaced stripes, such as a grille or a fence. Such stripes yield only
 * the digits 1, 2, 7 and 8; a long text may contain one other digit. Digits that may have no bars of their own are ignored: the first digit
 * of an EAN-13, and in a UPC-E every 0 and the check digit. A valid check digit proves nothing, because one in ten such readings has one by
 * chance.
 */
function isStripes(text: string, format: string): boolean {
  if (!RETAIL.has(format)) return false
  const isShort = format === 'upc_e' || text.length < LONG
  const encoded = format === 'upc_e' ? text.slice(0, -1).replace(/0/g, '') : text.length > LONG ? text.slice(1) : text
  return encoded.replace(/[1278]/g, '').length <= (isShort ? 0 : 1)
}

/**
 * Returns whether a text can come from a printed label. The text must contain a letter or digit, and must not be a misreading of stripes.
 * Only QR Code, Data Matrix and PDF417 may contain control characters other than whitespace and the ISO 15434 separators of manufacturers'
 * labels.
 */
export function isPlausibleLabelText(text: string, format: string): boolean {
  if (!/[\p{L}\p{N}]/u.test(text) || isStripes(text, format)) return false
  // eslint-disable-next-line no-control-regex
  return MATRIX.has(format) || !/[\u0000-\u0003\u0005-\u0008\u000b\u000c\u000e-\u001b\u007f\ufffd]/.test(text)
}

/** Returns whether a text is a 17-character VIN with a valid check digit, with or without the leading `I` on labels of imported cars. */
const provesItself = (text: string): boolean => hasValidCheckDigit(text) || (text.startsWith('I') && hasValidCheckDigit(text.slice(1)))

/** Returns the number of equal readings required before a text is accepted. */
export function countRequiredReadings({ text, format, isUnmodified, isBlurred = false }: CodeReading): number {
  if (format === 'pdf417') return AGAIN // at a tilt, ZXing's error correction may turn lost code words into a wrong text
  if (CERTAIN.has(format)) return 1
  if (provesItself(text)) return 1
  if (isBlurred) return 1
  if (CHECKED.has(format) && isUnmodified && text.length >= SHORT) return 1
  return text.length < SHORT && !CHECKED.has(format) ? SHORT_TEXT_READINGS : AGAIN
}

/** Creates a counter that decides when a decoded text is accepted. Equal readings from several decoding passes and frames are added up. */
export function createScanConfirmer() {
  const seen = new Map<string, { times: number; frame: number }>()
  let frame = 0
  return {
    nextFrame(): void {
      frame++
      for (const [key, sighting] of seen) if (frame - sighting.frame > MEMORY_FRAMES) seen.delete(key)
    },
    confirms(sighting: CodeReading): boolean {
      if (!isPlausibleLabelText(sighting.text, sighting.format)) return false
      const key = `${sighting.format} ${sighting.text}`
      const times = (seen.get(key)?.times ?? 0) + 1
      seen.set(key, { times, frame })
      return times >= countRequiredReadings(sighting)
    },
    clear(): void {
      seen.clear()
    },
  }
}
