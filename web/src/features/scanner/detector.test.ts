import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { BarcodeDetector, type BarcodeDetectorOptions, type PhotographDecodeEngine } from './detector'
import { DEFAULT_READER_OPTIONS, SCANNER_DECODER_SETTINGS, listUnmodifiedPassReaderOptions } from './decoderSettings'
import type { BarcodeImageSource } from './imageSource'
import { toDetectedFormat } from './barcodeFormats'
import { DEFAULT_CAMERA_VIEW_OPTIONS, SCAN_VIEW_OPTIONS } from './cameraViewOptions'

const FORMATS = ['aztec', 'code_128', 'code_39', 'code_93', 'codabar', 'databar', 'databar_expanded', 'databar_limited', 'data_matrix', 'dx_film_edge', 'ean_13', 'ean_8',
  'itf', 'maxi_code', 'micro_qr_code', 'pdf417', 'qr_code', 'rm_qr_code', 'upc_a', 'upc_e', 'linear_codes', 'matrix_codes', 'any']

class FakePicture {
  width: number
  height: number
  data: Uint8ClampedArray
  constructor(width = 2, height = 1) {
    this.width = width
    this.height = height
    this.data = new Uint8ClampedArray(4 * width * height)
  }
}
const picture = () => new FakePicture() as unknown as BarcodeImageSource
const corners = [{ x: 10, y: 20 }, { x: 110, y: 30 }, { x: 100, y: 80 }, { x: 5, y: 70 }]
const found: PhotographDecodeEngine = { decodePhotograph: async () => [{ text: 'HB20 000123', format: 'code_39', corners }, { text: '01', format: 'Aztec', corners }] }

beforeEach(() => {
  vi.stubGlobal('ImageData', FakePicture)
  vi.stubGlobal('DOMRectReadOnly', function (this: object, x: number, y: number, width: number, height: number) {
    Object.assign(this, { x, y, width, height })
  })
})
afterEach(() => vi.unstubAllGlobals())

test('the formats and groups of the specification are supported', async () => {
  expect(await BarcodeDetector.getSupportedFormats()).toEqual(FORMATS)
  const { linear, stacked, matrix } = new BarcodeDetector().settings
  expect([linear.length, stacked, matrix.length]).toEqual([13, ['PDF417'], 6])
  expect(new BarcodeDetector({ formats: ['linear_codes', 'qr_code'] }).settings).toMatchObject({ linear, stacked: [], matrix: ['QRCode'] })
  expect(new BarcodeDetector({ formats: ['matrix_codes'] }).settings).toMatchObject({ linear: [], stacked: ['PDF417'], matrix })
})

test('a reported format has the name of its most specific engine format', () => {
  const expected = { DataBar: 'databar', DataBarStk: 'databar', DataBarExp: 'databar_expanded', DataBarExpStk: 'databar_expanded', DataBarLtd: 'databar_limited', QRCodeModel2: 'qr_code', upc_e: 'upc_e', Other: 'unknown' }
  expect(Object.keys(expected).map(toDetectedFormat)).toEqual(Object.values(expected))
})

test('an empty list of formats and an unsupported format are rejected', () => {
  const make = (formats: string[]) => () => new BarcodeDetector({ formats } as BarcodeDetectorOptions)
  expect(make([])).toThrow(new TypeError("Failed to construct 'BarcodeDetector': Hint option provided, but is empty."))
  expect(make(['qr_code', 'unknown'])).toThrow(new TypeError("Failed to construct 'BarcodeDetector': Failed to read the 'formats' property from 'BarcodeDetectorOptions': The provided value 'unknown' is not a valid enum value of type BarcodeFormat."))
})

test('a detector has the decoder defaults of the specification, and options change them', () => {
  const defaults = {
    tryHarder: true, tryRotate: true, tryInvert: true, tryDownscale: true, tryDenoise: false, binarizer: 'LocalAverage', downscaleFactor: 3, downscaleThreshold: 500,
    minLineCount: 2, maxNumberOfSymbols: 255, eanAddOnSymbol: 'Ignore', textMode: 'HRI',
  }
  expect(DEFAULT_READER_OPTIONS).toEqual(defaults)
  expect(new BarcodeDetector().settings.options).toEqual({ ...defaults, textMode: 'Plain' })
  expect(new BarcodeDetector({ decoder: { tryInvert: false, maxNumberOfSymbols: 3 } }).settings.options).toEqual({ ...defaults, textMode: 'Plain', tryInvert: false, maxNumberOfSymbols: 3 })
  expect(new BarcodeDetector({ formats: ['code_39'] }).settings.linear).toEqual(['Code39Std']) // Code 39 without the extended mode
})

test('the camera view has the defaults of the specification, which the scanner screen sets to its own values', () => {
  expect(DEFAULT_CAMERA_VIEW_OPTIONS).toEqual({ formats: ['qr_code'], finder: true, torch: true, tracker: false, onOff: false, zoom: false, scanDelayMs: 300, retryDelayMs: 500, trackedRetryDelayMs: 10 })
  const { formats, decoder, ...screen } = SCAN_VIEW_OPTIONS
  expect(screen).toEqual({ finder: true, torch: true, tracker: true, onOff: true, zoom: true, scanDelayMs: 300, retryDelayMs: 500, trackedRetryDelayMs: 10 })
  expect(new BarcodeDetector({ formats, decoder }).settings).toEqual(SCANNER_DECODER_SETTINGS)
})

test('unmodified passes change nothing but the formats and the inversion, and all formats have their turn', () => {
  for (const options of listUnmodifiedPassReaderOptions(SCANNER_DECODER_SETTINGS)) expect({ ...options, formats: [], tryInvert: true }).toEqual({ ...SCANNER_DECODER_SETTINGS.options, formats: [] })
  const { linear, stacked, matrix } = SCANNER_DECODER_SETTINGS
  expect(new Set(listUnmodifiedPassReaderOptions(SCANNER_DECODER_SETTINGS).flatMap(({ formats }) => formats))).toEqual(new Set([...linear, ...stacked, ...matrix]))
  expect(listUnmodifiedPassReaderOptions(new BarcodeDetector({ formats: ['pdf417'] }).settings).map(({ formats }) => formats)).toEqual([['PDF417']])
})

test('a result has a bounding box, the raw value, the format and four corners', async () => {
  const detector = new BarcodeDetector({ engine: () => found })
  expect(await detector.detect(picture())).toEqual([
    { boundingBox: { x: 5, y: 20, width: 105, height: 60 }, rawValue: 'HB20 000123', format: 'code_39', cornerPoints: corners },
    { boundingBox: { x: 5, y: 20, width: 105, height: 60 }, rawValue: '01', format: 'aztec', cornerPoints: corners },
  ])
  expect(await new BarcodeDetector({ engine: () => found, decoder: { maxNumberOfSymbols: 1 } }).detect(picture())).toHaveLength(1)
})

test('a failed engine is reported as an unavailable service, and the next picture is decoded by its replacement', async () => {
  vi.spyOn(console, 'warn').mockReturnValue(undefined)
  const engines: PhotographDecodeEngine[] = [{ decodePhotograph: async () => Promise.reject(new Error('out of memory')) }, found]
  const detector = new BarcodeDetector({ engine: () => engines.shift() ?? found })
  const failed = await detector.detect(picture()).catch((error: unknown) => error)
  expect(failed).toMatchObject({ name: 'NotSupportedError', message: "Failed to execute 'detect' on 'BarcodeDetector': Barcode detection service unavailable." })
  expect(await detector.detect(picture())).toHaveLength(2)
})
