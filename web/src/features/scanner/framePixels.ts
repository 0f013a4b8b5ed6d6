import type { RgbaPicture } from './pixels'
import type { CameraFrame } from './protocol'

let canvas: OffscreenCanvas | null = null

/** Returns the pixels of a camera frame. Draws a bitmap on an `OffscreenCanvas` that is reused for all frames, and closes the bitmap. */
export function readFramePixels(frame: CameraFrame): RgbaPicture {
  if (!('close' in frame)) return frame
  const { width, height } = frame
  canvas ??= new OffscreenCanvas(width, height)
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height })
  const context = canvas.getContext('2d', { willReadFrequently: true })
  if (context === null) throw new Error('the browser provides no canvas to read the picture')
  context.drawImage(frame, 0, 0)
  frame.close()
  return context.getImageData(0, 0, width, height)
}
