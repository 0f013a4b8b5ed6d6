import { createDeferred } from './deferred'
import type { DecodedCode } from './decodedCode'
import type { DecodedFrame, DecodeMode } from './decoder'
import type { DecoderSettings } from './decoderSettings'
import type { RgbaPicture } from './pixels'
import type { CameraFrame, DecodeWorkerRequest, DecodeWorkerResponse } from './protocol'

/** Time limit in milliseconds for loading the decoding engine, after which an error is shown. */
export const ENGINE_LOAD_TIMEOUT_MS = 12_000

/** Time limit in milliseconds for decoding one frame. A worker that does not respond in time has failed without an error event. */
export const FRAME_DECODE_TIMEOUT_MS = 8000
/** Time limit in milliseconds for decoding a photograph, which takes many passes. */
const PHOTOGRAPH_TIMEOUT_MS = 60_000

export type EngineFailurePhase = 'loading' | 'running'

/** Decoding engine: a web worker that decodes barcodes with the library ZXing. */
export interface DecodeEngine {
  /** Resolves when the worker is loaded; rejects when loading fails. */
  ready: Promise<void>
  /** Decodes a frame. Rejects when the frame cannot be decoded, and rejects immediately if the worker has already failed. */
  decode: (frame: CameraFrame, mode: DecodeMode) => Promise<DecodedFrame>
  /** Decodes every code of a photograph. */
  decodePhotograph: (picture: RgbaPicture, settings: DecoderSettings) => Promise<DecodedCode[]>
  /** Clears the readings of earlier frames for a new label, and sets the formats and options for the next frames. */
  reset: (settings: DecoderSettings) => void
  /** Returns the phase in which the worker failed, or null while it works. The next call of `getDecodeEngine` replaces a failed worker. */
  fault: () => EngineFailurePhase | null
}

let current: DecodeEngine | null = null

/** Returns the decoding engine of the page. Starts its worker on the first call, and a new worker on the next call after a failure. */
export function getDecodeEngine(): DecodeEngine {
  if (current === null || current.fault() !== null) current = start()
  return current
}

interface Pending {
  resolve: (response: DecodeWorkerResponse) => void
  reject: (error: Error) => void
  timer: ReturnType<typeof setTimeout>
}

function start(): DecodeEngine {
  const waiting = new Map<number, Pending>()
  const { promise: ready, resolve: open, reject: refuse } = createDeferred<void>()
  ready.catch(() => undefined) // avoids an unhandled rejection; callers await `ready` themselves
  let worker: Worker | null = null
  let failure: Error | null = null
  let loaded = false
  let lastId = 0
  const fail = (message: string) => {
    if (failure !== null) return
    failure = new Error(message)
    clearTimeout(late)
    worker?.terminate()
    refuse(failure)
    for (const { reject, timer } of waiting.values()) {
      clearTimeout(timer)
      reject(failure)
    }
    waiting.clear()
  }
  const take = (report: DecodeWorkerResponse) => {
    if (report.kind === 'ready') {
      clearTimeout(late)
      loaded = true
      open()
    } else if (report.kind === 'failed') fail(report.message)
    else if (report.kind === 'broken' && report.fatal) fail(report.message)
    else {
      const asked = waiting.get(report.id)
      waiting.delete(report.id)
      clearTimeout(asked?.timer)
      if (report.kind === 'broken') asked?.reject(new Error(report.message))
      else asked?.resolve(report)
    }
  }
  const late = setTimeout(fail, ENGINE_LOAD_TIMEOUT_MS, 'the engine did not come in time')
  try {
    worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' })
    worker.addEventListener('message', ({ data }: MessageEvent<DecodeWorkerResponse>) => take(data))
    worker.addEventListener('messageerror', () => fail('an answer of the worker could not be read'))
    worker.addEventListener('error', ({ message }) => fail(message || 'the worker could not be loaded'))
  } catch (error) {
    fail(error instanceof Error ? error.message : String(error))
  }
  const ask = async (request: (id: number) => DecodeWorkerRequest, timeout: number, transfer: Transferable[] = []): Promise<DecodeWorkerResponse> => {
    if (failure !== null) throw failure
    await ready
    const { promise, resolve, reject } = createDeferred<DecodeWorkerResponse>()
    const id = ++lastId
    waiting.set(id, { resolve, reject, timer: setTimeout(fail, timeout, 'the engine did not answer in time') })
    worker?.postMessage(request(id), transfer)
    return promise
  }
  return {
    ready,
    fault: () => (failure === null ? null : loaded ? 'running' : 'loading'),
    decode: async (frame, mode) => {
      const response = await ask((id) => ({ kind: 'frame', id, frame, mode }), FRAME_DECODE_TIMEOUT_MS, ['close' in frame ? frame : frame.data.buffer])
      if (response.kind !== 'decoded') throw new Error('the worker sent a response of another kind')
      return response.decoded
    },
    decodePhotograph: async ({ width, height, data }, settings) => {
      const response = await ask((id) => ({ kind: 'photograph', id, picture: { width, height, data }, settings }), PHOTOGRAPH_TIMEOUT_MS)
      if (response.kind !== 'detected') throw new Error('the worker sent a response of another kind')
      return response.codes
    },
    reset: (settings) => worker?.postMessage({ kind: 'reset', settings } satisfies DecodeWorkerRequest),
  }
}
