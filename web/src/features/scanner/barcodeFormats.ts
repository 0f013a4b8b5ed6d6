import type { ReadInputBarcodeFormat } from 'zxing-wasm/reader'
import type { BarcodeFormatKind } from './decoderSettings'

/** Supported barcode formats by name, each with its ZXing name and its kind (linear, stacked or matrix). */
const FORMATS = {
  aztec: ['Aztec', 'matrix'],
  code_128: ['Code128', 'linear'],
  code_39: ['Code39Std', 'linear'],
  code_93: ['Code93', 'linear'],
  codabar: ['Codabar', 'linear'],
  databar: ['DataBar', 'linear'],
  databar_expanded: ['DataBarExp', 'linear'],
  databar_limited: ['DataBarLtd', 'linear'],
  data_matrix: ['DataMatrix', 'matrix'],
  dx_film_edge: ['DXFilmEdge', 'linear'],
  ean_13: ['EAN13', 'linear'],
  ean_8: ['EAN8', 'linear'],
  itf: ['ITF', 'linear'],
  maxi_code: ['MaxiCode', 'matrix'],
  micro_qr_code: ['MicroQRCode', 'matrix'],
  pdf417: ['PDF417', 'stacked'],
  qr_code: ['QRCode', 'matrix'],
  rm_qr_code: ['RMQRCode', 'matrix'],
  upc_a: ['UPCA', 'linear'],
  upc_e: ['UPCE', 'linear'],
} as const satisfies Record<string, readonly [ReadInputBarcodeFormat, BarcodeFormatKind]>

/** Group names accepted by the `formats` option of the barcode detector, each with the kinds of formats that the group selects. */
const GROUPS = { linear_codes: ['linear'], matrix_codes: ['stacked', 'matrix'], any: ['linear', 'stacked', 'matrix'] } as const satisfies Record<string, readonly BarcodeFormatKind[]>

/** Name of the format of a detected code, such as `qr_code`. */
export type DetectedFormat = keyof typeof FORMATS
/** Name of a format, or of a group of formats, to which a barcode detector can be limited. */
export type BarcodeFormat = DetectedFormat | keyof typeof GROUPS

const isFormat = (name: string): name is DetectedFormat => Object.hasOwn(FORMATS, name)
const isGroup = (name: string): name is keyof typeof GROUPS => Object.hasOwn(GROUPS, name)

const NAMES = Object.keys(FORMATS).filter(isFormat)
export const SUPPORTED_FORMATS: readonly BarcodeFormat[] = [...NAMES, ...Object.keys(GROUPS).filter(isGroup)]

export const isSupportedFormat = (name: string): name is BarcodeFormat => isFormat(name) || isGroup(name)

/** Translates names of formats and groups into ZXing format names, in one list per kind (linear, stacked, matrix). */
export function toEngineFormats(wanted: readonly BarcodeFormat[]): Record<BarcodeFormatKind, ReadInputBarcodeFormat[]> {
  const sets: Record<BarcodeFormatKind, ReadInputBarcodeFormat[]> = { linear: [], stacked: [], matrix: [] }
  for (const name of NAMES) {
    const [engine, kind] = FORMATS[name]
    const isWanted = wanted.some((one) => one === name || (isGroup(one) && GROUPS[one].some((member) => member === kind)))
    if (isWanted) sets[kind].push(engine)
  }
  return sets
}

/** Names of the formats, those with the longest ZXing names first, because `DataBarExp` and `DataBarLtd` begin with `DataBar`. */
const NAMES_BY_ENGINE_NAME_LENGTH = NAMES.toSorted((a, b) => FORMATS[b][0].length - FORMATS[a][0].length)

/**
 * Returns the name of a format that the decoder reported, such as `qr_code`, or 'unknown'. The decoder may report a format by its ZXing
 * name, such as `QRCode`, followed by a variant.
 */
export const toDetectedFormat = (reported: string): DetectedFormat | 'unknown' =>
  NAMES.find((name) => name === reported) ?? NAMES_BY_ENGINE_NAME_LENGTH.find((name) => reported.startsWith(FORMATS[name][0])) ?? 'unknown'
