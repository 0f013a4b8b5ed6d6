import { cropOf } from './crop'
import type { Decoded } from './decoder'
import type { Engine } from './engine'
import type { Frame } from './protocol'

/** After a scan, and where none came: the tracker is on, so there is almost no wait. */
export const SCAN_DELAY_MS = 300
export const RETRY_DELAY_MS = 10

/** Takes the part of the picture that is decoded, without reading it on the page where that can be helped. */
async function grab(video: HTMLVideoElement): Promise<Frame> {
  const { left, top, side } = cropOf(video.videoWidth, video.videoHeight)
  if (typeof OffscreenCanvas !== 'undefined') return createImageBitmap(video, left, top, side, side)
  const canvas = document.createElement('canvas')
  canvas.width = side
  canvas.height = side
  const context = canvas.getContext('2d', { willReadFrequently: true })
  if (context === null) throw new Error('no canvas to read pictures from')
  context.drawImage(video, left, top, side, side, 0, 0, side, side)
  return context.getImageData(0, 0, side, side)
}

interface FramesOptions {
  video: HTMLVideoElement
  engine: Engine
  /** Says for each picture what was decoded; true asks for every code in the next one. */
  onDecoded: (decoded: Decoded, several: boolean) => boolean
  onBroken: (error: Error) => void
}

/** Sends picture after picture to the engine, one at a time; those that come meanwhile are dropped. Returns how to stop. */
export function followFrames({ video, engine, onDecoded, onBroken }: FramesOptions): () => void {
  let going = true
  let several = false
  let failures = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  const soon = (ms: number) => {
    if (going) timer = setTimeout(wait, ms)
  }
  /** The next picture the camera brings; where the browser does not tell of it, the next painting. */
  const wait = () => {
    if ('requestVideoFrameCallback' in video) video.requestVideoFrameCallback(() => void look())
    else requestAnimationFrame(() => void look())
  }
  const look = async () => {
    if (!going) return
    if (video.videoWidth === 0 || video.videoHeight === 0) return soon(RETRY_DELAY_MS)
    try {
      const decoded = await engine.decode(await grab(video), several)
      failures = 0
      if (!going) return
      several = onDecoded(decoded, several)
      soon(decoded.codes.length > 0 && !several ? SCAN_DELAY_MS : RETRY_DELAY_MS)
    } catch (error) {
      if (!going) return
      if (++failures < PATIENCE) soon(SCAN_DELAY_MS)
      else onBroken(error instanceof Error ? error : new Error(String(error)))
    }
  }
  void look()
  return () => {
    going = false
    clearTimeout(timer)
  }
}

/** A picture may be lost while a camera turns; so many in a row are a failure. */
const PATIENCE = 4
