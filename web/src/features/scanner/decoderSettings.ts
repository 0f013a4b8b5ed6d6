import type { ReaderOptions, ReadInputBarcodeFormat } from 'zxing-wasm/reader'

/** Barcode formats to decode, one list for each kind, and the options of ZXing. The formats have their ZXing names. */
export interface DecoderSettings {
  linear: readonly ReadInputBarcodeFormat[]
  stacked: readonly ReadInputBarcodeFormat[]
  matrix: readonly ReadInputBarcodeFormat[]
  options: ReaderOptions
}
export type BarcodeFormatKind = 'linear' | 'stacked' | 'matrix'

/** Maximum number of symbols that ZXing returns for one picture. */
export const MAX_SYMBOLS_PER_PICTURE = 255
/** Default options of the barcode library ZXing, as the product specification requires. */
export const DEFAULT_READER_OPTIONS: ReaderOptions = {
  tryHarder: true,
  tryRotate: true,
  tryInvert: true,
  tryDownscale: true,
  tryDenoise: false,
  binarizer: 'LocalAverage',
  downscaleFactor: 3,
  downscaleThreshold: 500,
  minLineCount: 2,
  maxNumberOfSymbols: MAX_SYMBOLS_PER_PICTURE,
  eanAddOnSymbol: 'Ignore',
  textMode: 'HRI',
}

/**
 * Settings of the scanner screen: the barcode formats found on vehicles, and decoding of the first symbol only. `Code39Std` is Code 39
 * without the extended mode.
 */
export const SCANNER_DECODER_SETTINGS: DecoderSettings = {
  linear: ['Code128', 'Code39Std', 'Code93', 'EAN13', 'EAN8', 'UPCA', 'UPCE'],
  stacked: ['PDF417'],
  matrix: ['DataMatrix', 'MicroQRCode', 'QRCode'],
  options: { ...DEFAULT_READER_OPTIONS, textMode: 'Plain', maxNumberOfSymbols: 1 },
}

/** Returns the ZXing options for the formats of the given kinds. `changes` override the options of the settings. */
export const buildReaderOptions = (settings: DecoderSettings, kinds: readonly BarcodeFormatKind[], changes: ReaderOptions = {}): ReaderOptions => ({
  ...settings.options, ...changes, formats: kinds.flatMap((kind) => settings[kind]),
})

/** Returns whether the options name at least one format. Without this check, ZXing would decode all formats for an empty list. */
export const hasFormats = ({ formats }: ReaderOptions): boolean => Array.isArray(formats) && formats.length > 0

/**
 * Returns the ZXing options for unmodified pictures, one set for each of several successive frames. Each set has the linear formats and
 * only one other kind, because decoding all formats in one frame would take 50 % longer. Inverted matrix codes are left to an extra pass,
 * because ZXing's own inversion would double the time.
 */
export const listUnmodifiedPassReaderOptions = (settings: DecoderSettings): ReaderOptions[] =>
  [
    buildReaderOptions(settings, ['linear', 'matrix'], { tryInvert: false }),
    buildReaderOptions(settings, ['linear', 'stacked']),
  ].filter(hasFormats)

const NAMES: Record<string, string> = {
  QRCode: 'qr_code',
  MicroQRCode: 'micro_qr_code',
  DataMatrix: 'data_matrix',
  Code128: 'code_128',
  Code39: 'code_39',
  Code39Std: 'code_39',
  Code93: 'code_93',
  EAN13: 'ean_13',
  EAN8: 'ean_8',
  UPCA: 'upc_a',
  UPCE: 'upc_e',
  PDF417: 'pdf417',
}

/**
 * Returns the format name, such as `qr_code`, for a ZXing format name. An EAN-13 code whose text starts with 0 counts as UPC-A, because
 * both are the same barcode.
 */
export function toFormatName(engine: string, text = ''): string {
  if (engine === 'EAN13' && text.startsWith('0')) return 'upc_a'
  return NAMES[engine] ?? NAMES[engine.replace(/Model[12]$/, '')] ?? engine
}
