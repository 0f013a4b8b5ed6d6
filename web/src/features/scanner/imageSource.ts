import type { RgbaPicture } from './pixels'

/** Picture sources that the barcode detector accepts. */
export type BarcodeImageSource = ImageBitmapSource | SVGImageElement | VideoFrame

type Drawable = Exclude<BarcodeImageSource, Blob | ImageData>
interface Kinds {
  Blob: Blob
  ImageData: ImageData
  HTMLImageElement: HTMLImageElement
  SVGImageElement: SVGImageElement
  HTMLVideoElement: HTMLVideoElement
  HTMLCanvasElement: HTMLCanvasElement
  OffscreenCanvas: OffscreenCanvas
  ImageBitmap: ImageBitmap
  VideoFrame: VideoFrame
}

/** Returns whether a picture source has the given type. Returns false for a type that the browser or worker does not define. */
function isA<K extends keyof Kinds>(kind: K, source: unknown): source is Kinds[K] {
  const type: unknown = Reflect.get(globalThis, kind)
  return typeof type === 'function' && source instanceof type
}

const invalid = (message: string): DOMException => new DOMException(message, 'InvalidStateError')
const notLoaded = (what: string): DOMException => invalid(`Failed to load or decode ${what}.`)
const DETACHED = 'The image source is detached.'
const HAVE_CURRENT_DATA = 2

const READ_OFTEN: CanvasRenderingContext2DSettings = { willReadFrequently: true }

let context: OffscreenCanvasRenderingContext2D | CanvasRenderingContext2D | null = null

/** Returns the context of a cleared canvas of this size, which is reused for all sources. */
function contextFor(width: number, height: number): OffscreenCanvasRenderingContext2D | CanvasRenderingContext2D {
  context ??= typeof OffscreenCanvas === 'undefined' ? document.createElement('canvas').getContext('2d', READ_OFTEN) : new OffscreenCanvas(width, height).getContext('2d', READ_OFTEN)
  if (context === null) throw notLoaded('the image')
  Object.assign(context.canvas, { width, height }) // setting the size also clears the canvas
  return context
}

/** Waits for an image element to be decoded, and returns its size in pixels. Throws when the image fails to load. */
async function sizeOfElement(element: HTMLImageElement | SVGImageElement): Promise<[number, number]> {
  const isHtml = isA('HTMLImageElement', element)
  try {
    if ('decode' in element) await element.decode() // not all browsers can decode SVG images in advance
  } catch {
    throw notLoaded(isHtml ? 'HTMLImageElement' : 'SVGImageElement')
  }
  return isHtml ? [element.naturalWidth, element.naturalHeight] : [element.width.baseVal.value, element.height.baseVal.value]
}

async function sizeOf(source: Drawable): Promise<[number, number]> {
  if (isA('HTMLImageElement', source) || isA('SVGImageElement', source)) return sizeOfElement(source)
  if (isA('HTMLVideoElement', source)) {
    if (source.readyState < HAVE_CURRENT_DATA) throw notLoaded('HTMLVideoElement')
    return [source.videoWidth, source.videoHeight]
  }
  if (isA('VideoFrame', source)) {
    if (source.format === null && source.codedWidth === 0) throw invalid('VideoFrame is closed.')
    return [source.displayWidth, source.displayHeight]
  }
  if (isA('ImageBitmap', source) && source.width === 0 && source.height === 0) throw invalid(DETACHED) // a closed bitmap
  return [source.width, source.height]
}

const KINDS = ['Blob', 'HTMLCanvasElement', 'HTMLImageElement', 'HTMLVideoElement', 'ImageBitmap', 'ImageData', 'OffscreenCanvas', 'SVGImageElement', 'VideoFrame'] as const

/**
 * Returns the pixels of a picture source, or null when its width or height is 0. Throws the errors that the Barcode Detection API
 * prescribes for unusable sources.
 */
export async function readImageSource(source: BarcodeImageSource): Promise<RgbaPicture | null> {
  if (!KINDS.some((kind) => isA(kind, source))) throw new TypeError(`The provided value is not of type '(${KINDS.join(' or ')})'.`)
  if (isA('Blob', source)) {
    const bitmap = await createImageBitmap(source).catch(() => {
      throw notLoaded('Blob')
    })
    return readImageSource(bitmap).finally(() => bitmap.close())
  }
  if (isA('ImageData', source)) {
    if (source.data.buffer.byteLength === 0) throw invalid(DETACHED)
    return source
  }
  const [width, height] = await sizeOf(source)
  if (width === 0 || height === 0) return null
  const drawing = contextFor(width, height)
  drawing.drawImage(source, 0, 0, width, height)
  try {
    return drawing.getImageData(0, 0, width, height)
  } catch {
    context = null // the reused canvas is tainted
    throw new DOMException('Source would taint origin.', 'SecurityError')
  }
}
