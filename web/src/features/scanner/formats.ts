import type { ReaderOptions } from 'zxing-wasm/reader'

/** The formats of the specification in the engine's names; `Code39Std` is Code 39 with its extended mode off. */
export const LINEAR = ['Code128', 'Code39Std', 'Code93', 'EAN13', 'EAN8', 'UPCA', 'UPCE'] as const
const STACKED = ['PDF417'] as const
export const MATRIX = ['QRCode', 'MicroQRCode', 'DataMatrix'] as const
export const EVERY = [...LINEAR, ...STACKED, ...MATRIX] as const
export const STRIPED = [...LINEAR, ...STACKED] as const
/** The decoder's defaults as the specification gives them. */
export const DEFAULTS: ReaderOptions = {
  formats: [...EVERY],
  tryHarder: true,
  tryRotate: true,
  tryInvert: true,
  tryDownscale: true,
  tryDenoise: false,
  binarizer: 'LocalAverage',
  downscaleFactor: 3,
  downscaleThreshold: 500,
  minLineCount: 2,
  maxNumberOfSymbols: 1,
  eanAddOnSymbol: 'Ignore',
  textMode: 'Plain',
}

/**
 * What the plain look looks for, frame by frame: linear codes always, the others by how often they hang on cars; light
 * ones on a dark ground not in the first. Everything in one frame takes half as long again.
 */
export const IN_TURN: readonly ReaderOptions[] = [
  { ...DEFAULTS, formats: [...LINEAR, ...MATRIX], tryInvert: false },
  { ...DEFAULTS, formats: [...LINEAR, ...MATRIX] },
  { ...DEFAULTS, formats: [...STRIPED] },
]

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

/** The specification's name of what the engine read; an EAN-13 that starts with 0 is the symbol of a UPC-A. */
export function formatName(engine: string, text = ''): string {
  if (engine === 'EAN13' && text.startsWith('0')) return 'upc_a'
  return NAMES[engine] ?? NAMES[engine.replace(/Model[12]$/, '')] ?? engine
}
