import { createDeferred } from '../deferred'
import type { CameraFrame } from '../protocol'
import type { RecognizedLine, OcrRequest, OcrResponse } from './protocol'

/** Time limit in milliseconds for loading the OCR engine and its model (about 4 MB); long enough for a slow connection. */
export const OCR_LOAD_TIMEOUT_MS = 120_000
/**
 * Time limit in milliseconds for one response of the loaded OCR engine. A worker that exceeds it counts as failed, because a worker can fail
 * without an error event.
 */
export const OCR_RESPONSE_TIMEOUT_MS = 20_000

/** OCR of labels: finds and reads lines of characters in a web worker. */
export interface OcrReader {
  /** Resolves when the OCR engine is loaded. Rejects when loading fails. */
  ready: Promise<void>
  /** Finds the text lines of a picture. Returns their indexes in the order in which they should be read. */
  find: (frame: CameraFrame) => Promise<number[]>
  /** Reads the line with the given index and returns its characters. */
  read: (place: number) => Promise<RecognizedLine>
  hasFailed: () => boolean
}

let current: OcrReader | null = null

/** Returns the OCR reader of the page. Loads the reader on the first call, and a new reader on the next call after a failure. */
export function getOcrReader(): OcrReader {
  if (current === null || current.hasFailed()) current = startReader()
  return current
}

function startReader(): OcrReader {
  const loaded = createDeferred<void>()
  loaded.promise.catch(() => undefined) // avoids an unhandled rejection; callers await `ready` themselves
  let worker: Worker | null = null
  let failure: Error | null = null
  let pending: ReturnType<typeof createDeferred<OcrResponse>> | null = null
  let timer: ReturnType<typeof setTimeout>
  const fail = (message: string) => {
    if (failure !== null) return
    failure = new Error(message)
    clearTimeout(timer)
    worker?.terminate()
    loaded.reject(failure)
    pending?.reject(failure)
  }
  timer = setTimeout(fail, OCR_LOAD_TIMEOUT_MS, 'the engine did not come in time')
  const take = (response: OcrResponse) => {
    if (response.kind === 'failed') return fail(response.message)
    if (response.kind !== 'ready') return pending?.resolve(response)
    clearTimeout(timer)
    loaded.resolve()
  }
  try {
    worker = new Worker(new URL('./characterWorker.ts', import.meta.url), { type: 'module' })
    worker.addEventListener('message', ({ data }: MessageEvent<OcrResponse>) => take(data))
    worker.addEventListener('error', ({ message }) => fail(message || 'the worker could not be loaded'))
  } catch (error) {
    fail(error instanceof Error ? error.message : String(error))
  }
  let last: Promise<unknown> = loaded.promise
  /** Sends a request once the previous request has its response, because a response does not identify its request. */
  const ask = (request: OcrRequest, transfer: Transferable[] = []): Promise<OcrResponse> => {
    const response = last.then(() => {
      if (failure !== null) throw failure
      pending = createDeferred<OcrResponse>()
      timer = setTimeout(fail, OCR_RESPONSE_TIMEOUT_MS, 'the engine did not answer in time')
      worker?.postMessage(request, transfer)
      return pending.promise
    }).finally(() => clearTimeout(timer))
    last = response.catch(() => undefined)
    return response
  }
  return {
    ready: loaded.promise,
    find: async (frame) => {
      const response = await ask({ kind: 'find', frame }, ['close' in frame ? frame : frame.data.buffer])
      return response.kind === 'found' ? response.order : []
    },
    read: async (place) => {
      const response = await ask({ kind: 'read', place })
      return response.kind === 'text' ? response.line : { text: '', confidences: [] }
    },
    hasFailed: () => failure !== null,
  }
}
