import type { ReaderOptions } from 'zxing-wasm/reader'
import { SUPPORTED_FORMATS, isSupportedFormat, toDetectedFormat, toEngineFormats, type BarcodeFormat, type DetectedFormat } from './barcodeFormats'
import type { DecodedCode } from './decodedCode'
import { getDecodeEngine, type DecodeEngine } from './engine'
import { DEFAULT_READER_OPTIONS, type DecoderSettings } from './decoderSettings'
import { readImageSource, type BarcodeImageSource } from './imageSource'
import type { Point, RgbaPicture } from './pixels'

export interface BarcodeDetectorOptions {
  /** Formats and groups of formats to detect; all formats by default. */
  formats?: readonly BarcodeFormat[]
  /** Options of the decoder that differ from the defaults, such as `tryInvert` and `maxNumberOfSymbols`. */
  decoder?: ReaderOptions
  /** Returns the decoding engine for photographs; by default the one that the page shares with the camera. */
  engine?: () => PhotographDecodeEngine
}

/** Part of the decoding engine (web worker with ZXing) that the detector needs: decoding every code of a photograph. */
export type PhotographDecodeEngine = Pick<DecodeEngine, 'decodePhotograph'>

export interface DetectedBarcode {
  boundingBox: DOMRectReadOnly
  rawValue: string
  format: DetectedFormat | 'unknown'
  /** Corners in the order top left, top right, bottom right, bottom left, in the orientation of the code itself. */
  cornerPoints: Point[]
}

/** Returns an error of the same type whose message begins with the name of the failed call. */
function named(call: string, error: unknown): Error {
  const message = `${call}: ${error instanceof Error ? error.message : String(error)}`
  return error instanceof DOMException ? new DOMException(message, error.name) : error instanceof TypeError ? new TypeError(message) : new Error(message)
}

/** Barcode detector with the interface of the web standard `BarcodeDetector`, based on the decoder of the scanner. */
export class BarcodeDetector {
  /** Formats and decoder options, which the scanner also uses for camera frames. */
  readonly settings: DecoderSettings
  readonly #engine: () => PhotographDecodeEngine

  constructor({ formats = ['any'], decoder = {}, engine = getDecodeEngine }: BarcodeDetectorOptions = {}) {
    const call = "Failed to construct 'BarcodeDetector'"
    if (formats.length === 0) throw named(call, new TypeError('Hint option provided, but is empty.'))
    const refused = formats.find((format) => !isSupportedFormat(format))
    if (refused !== undefined) throw named(call, new TypeError(`Failed to read the 'formats' property from 'BarcodeDetectorOptions': The provided value '${refused}' is not a valid enum value of type BarcodeFormat.`))
    this.settings = { ...toEngineFormats(formats), options: { ...DEFAULT_READER_OPTIONS, textMode: 'Plain', ...decoder } }
    this.#engine = engine
  }

  static async getSupportedFormats(): Promise<readonly BarcodeFormat[]> {
    return SUPPORTED_FORMATS
  }

  /**
   * Returns the codes of a picture, or an empty list for a picture without width or height. Rejects when the picture has no pixels yet
   * or the decoding fails.
   */
  async detect(source: BarcodeImageSource): Promise<DetectedBarcode[]> {
    try {
      const picture = await readImageSource(source)
      if (picture === null) return []
      return (await this.#decode(picture)).slice(0, this.settings.options.maxNumberOfSymbols).map(toDetected)
    } catch (error) {
      throw named("Failed to execute 'detect' on 'BarcodeDetector'", error)
    }
  }

  async #decode(picture: RgbaPicture): Promise<DecodedCode[]> {
    try {
      return await this.#engine().decodePhotograph(picture, this.settings)
    } catch (error) {
      console.warn('barcode detection failed', error)
      throw new DOMException('Barcode detection service unavailable.', 'NotSupportedError')
    }
  }
}

function toDetected({ text, format, corners }: DecodedCode): DetectedBarcode {
  const [xs, ys] = [corners.map(({ x }) => x), corners.map(({ y }) => y)]
  const [left, top] = [Math.min(...xs), Math.min(...ys)]
  return {
    boundingBox: new DOMRectReadOnly(left, top, Math.max(...xs) - left, Math.max(...ys) - top),
    rawValue: text,
    format: toDetectedFormat(format),
    cornerPoints: corners,
  }
}
