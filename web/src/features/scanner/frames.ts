import { computeScanRegion } from './scanRegion'
import type { DecodedFrame, DecodeMode } from './decoder'
import type { DecodeEngine } from './engine'
import type { CameraViewOptions } from './cameraViewOptions'
import type { CameraFrame } from './protocol'

/** Time limit in milliseconds for `requestVideoFrameCallback`. After a timeout, the scanner uses animation frames instead. */
export const FRAME_CALLBACK_TIMEOUT_MS = 1000

/** Interval in milliseconds between frames in the mode `watch`, which only checks whether a label is still in view. */
export const WATCH_MODE_FRAME_INTERVAL_MS = 500
/** Interval in milliseconds between the starts of two frames after several frames without any code, which saves battery. */
export const IDLE_FRAME_INTERVAL_MS = 100
/** Number of frames without any code that are decoded at full speed: enough for each extra decoding pass to run once. */
const FULL_SPEED_FRAMES = 8

let canvas: HTMLCanvasElement | null = null

/** Captures the square of the video frame that will be decoded, as a bitmap, or as pixel data when the worker has no `OffscreenCanvas`. */
export async function grabFrame(video: HTMLVideoElement): Promise<CameraFrame> {
  const { left, top, side } = computeScanRegion(video.videoWidth, video.videoHeight)
  if (typeof OffscreenCanvas !== 'undefined') return createImageBitmap(video, left, top, side, side)
  canvas ??= document.createElement('canvas')
  if (canvas.width !== side || canvas.height !== side) Object.assign(canvas, { width: side, height: side })
  const context = canvas.getContext('2d', { willReadFrequently: true })
  if (context === null) throw new Error('the browser provides no canvas to read the picture')
  context.drawImage(video, left, top, side, side, 0, 0, side, side)
  return context.getImageData(0, 0, side, side)
}

interface FramesOptions {
  video: HTMLVideoElement
  options: CameraViewOptions
  /** Returns the decoding engine for the next frame; a new one after a failure. */
  getDecodeEngine: () => DecodeEngine
  /** Called for each decoded frame. Returns the decoding mode of the next frame. */
  onDecoded: (decoded: DecodedFrame, mode: DecodeMode) => DecodeMode
  /** Called with the new decoding engine after a failed one was replaced. */
  onReplaced: (engine: DecodeEngine) => void
  onBroken: (error: Error) => void
}

/** Sends frames to the decoding engine one at a time and drops frames that arrive meanwhile. Returns a function that stops the scan. */
export function startFrameLoop({ video, options: { scanDelayMs, retryDelayMs, trackedRetryDelayMs, tracker }, getDecodeEngine, onDecoded, onReplaced, onBroken }: FramesOptions): () => void {
  const retryMs = tracker ? trackedRetryDelayMs : retryDelayMs
  let going = true
  let mode: DecodeMode = 'first'
  let failures = 0
  let empty = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  let engine = getDecodeEngine()

  const soon = (ms: number) => {
    if (going) timer = setTimeout(wait, ms)
  }
  /** Returns the pause before the next frame in milliseconds. */
  const pauseAfter = ({ codes, seen }: DecodedFrame, before: DecodeMode, started: number): number => {
    empty = codes.length > 0 || seen !== null ? 0 : empty + 1
    if (mode === 'watch') return before === 'watch' ? WATCH_MODE_FRAME_INTERVAL_MS : scanDelayMs
    if (codes.length > 0 && mode === 'first') return scanDelayMs
    return empty > FULL_SPEED_FRAMES ? Math.max(retryMs, IDLE_FRAME_INTERVAL_MS - (performance.now() - started)) : retryMs
  }
  let announces = 'requestVideoFrameCallback' in video
  /** Waits for the next video frame, or for the next animation frame when the browser reports no video frames. */
  const wait = () => {
    if (!announces) return void requestAnimationFrame(() => void look())
    let waiting = true
    const late = setTimeout(() => {
      waiting = false
      announces = false
      void look()
    }, FRAME_CALLBACK_TIMEOUT_MS)
    timer = late
    video.requestVideoFrameCallback(() => {
      if (!waiting) return
      clearTimeout(late)
      void look()
    })
  }
  const look = async () => {
    if (!going) return
    if (video.videoWidth === 0 || video.videoHeight === 0) return soon(retryMs)
    try {
      const started = performance.now()
      const decoded = await engine.decode(await grabFrame(video), mode)
      failures = 0
      if (!going) return
      const before = mode
      mode = onDecoded(decoded, mode)
      soon(pauseAfter(decoded, before, started))
    } catch (error) {
      if (!going) return
      const fault = engine.fault()
      if (++failures >= MAX_FAILED_FRAMES || fault === 'loading') return onBroken(error instanceof Error ? error : new Error(String(error)))
      if (fault === 'running') {
        engine = getDecodeEngine()
        onReplaced(engine)
      }
      soon(scanDelayMs)
    }
  }
  void look()
  return () => {
    going = false
    clearTimeout(timer)
  }
}

/** Number of consecutive failed frames after which a fault is reported. Single frames fail while the phone is being rotated. */
const MAX_FAILED_FRAMES = 4
