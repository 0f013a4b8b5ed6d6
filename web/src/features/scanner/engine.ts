import { deferred } from './deferred'
import type { Decoded } from './decoder'
import type { Frame, Order, Report } from './protocol'

/** How long the engine may take to come before the person is told. */
export const ENGINE_MS = 12_000

/** The decoding engine in its worker. */
export interface Engine {
  /** Rejects when the engine cannot be loaded. */
  ready: Promise<void>
  decode: (frame: Frame, several: boolean) => Promise<Decoded>
  /** Forgets what was seen, as for another label. */
  reset: () => void
}

let current: (Engine & { broken: boolean }) | null = null

/** The engine of this page: loaded once, and anew after a failure. */
export function engine(): Engine {
  if (current === null || current.broken) current = start()
  return current
}

function start(): Engine & { broken: boolean } {
  const waiting = new Map<number, { resolve: (decoded: Decoded) => void; reject: (error: Error) => void }>()
  const { promise: ready, resolve: open, reject: refuse } = deferred<void>()
  ready.catch(() => undefined) // told again to whoever asks
  let worker: Worker | null = null
  let lastId = 0
  const own = {
    ready,
    broken: false,
    decode: (frame: Frame, several: boolean) => {
      const { promise, resolve, reject } = deferred<Decoded>()
      const id = ++lastId
      waiting.set(id, { resolve, reject })
      const order: Order = { kind: 'frame', id, frame, several }
      worker?.postMessage(order, ['close' in frame ? frame : frame.data.buffer])
      return promise
    },
    reset: () => worker?.postMessage({ kind: 'reset' } satisfies Order),
  }
  const fail = (message: string) => {
    own.broken = true
    worker?.terminate()
    refuse(new Error(message))
    for (const { reject } of waiting.values()) reject(new Error(message))
    waiting.clear()
  }
  const take = (report: Report) => {
    if (report.kind === 'ready') {
      clearTimeout(late)
      open()
    } else if (report.kind === 'failed') fail(report.message)
    else {
      const asked = waiting.get(report.id)
      waiting.delete(report.id)
      if (report.kind === 'decoded') asked?.resolve(report.decoded)
      else asked?.reject(new Error(report.message))
    }
  }
  const late = setTimeout(fail, ENGINE_MS, 'the engine did not come in time')
  try {
    worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' })
    worker.addEventListener('message', ({ data }: MessageEvent<Report>) => take(data))
    worker.addEventListener('error', ({ message }) => fail(message || 'the worker could not be loaded'))
  } catch (error) {
    fail(error instanceof Error ? error.message : String(error))
  }
  return own
}
