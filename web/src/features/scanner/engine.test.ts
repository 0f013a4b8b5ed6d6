import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createFake } from '@/testing/createFake'
import { FRAME_DECODE_TIMEOUT_MS, getDecodeEngine } from './engine'
import type { DecodeWorkerRequest, DecodeWorkerResponse } from './protocol'
import type { CameraFrame } from './protocol'

/** A fake worker that answers no message by itself. */
class FakeWorker extends EventTarget {
  sent: DecodeWorkerRequest[] = []
  ended = false
  constructor() {
    super()
    workers.push(this)
  }
  postMessage(message: DecodeWorkerRequest): void {
    this.sent.push(message)
  }
  terminate(): void {
    this.ended = true
  }
  answer(data: DecodeWorkerResponse): void {
    this.dispatchEvent(new MessageEvent('message', { data }))
  }
}
let workers: FakeWorker[] = []
const frame = () => createFake<CameraFrame>({ close: () => {} })

beforeEach(() => {
  vi.useFakeTimers()
  workers = []
  vi.stubGlobal('Worker', FakeWorker)
})
afterEach(() => {
  for (const worker of workers) worker.dispatchEvent(new Event('error')) // the next test gets a new engine
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

/** Returns a loaded engine with its worker and the outcome of two frames. */
async function loaded() {
  const engine = getDecodeEngine()
  const [worker] = workers.slice(-1)
  if (worker === undefined) throw new Error('no worker')
  worker.answer({ kind: 'ready' })
  const pending = [engine.decode(frame(), 'first'), engine.decode(frame(), 'every')].map((decoded) => decoded.then(() => 'decoded', ({ message }: Error) => message))
  await vi.advanceTimersByTimeAsync(0)
  expect(worker.sent).toHaveLength(2)
  return { engine, worker, pending }
}

test.each<[string, (worker: FakeWorker) => unknown, string]>([
  ['reports an error of the engine', (worker) => worker.answer({ kind: 'broken', id: 1, message: 'memory access out of bounds', fatal: true }), 'memory access out of bounds'],
  ['throws', (worker) => worker.dispatchEvent(new ErrorEvent('error', { message: 'out of memory' })), 'out of memory'],
  ['sends an unreadable answer', (worker) => worker.dispatchEvent(new MessageEvent('messageerror')), 'an answer of the worker could not be read'],
  ['does not answer', () => vi.advanceTimersByTimeAsync(FRAME_DECODE_TIMEOUT_MS), 'the engine did not answer in time'],
])('a worker that %s is ended, every pending frame is rejected, and a new engine works', async (_, dies, message) => {
  const { engine, worker, pending } = await loaded()
  expect(getDecodeEngine()).toBe(engine)
  await dies(worker)
  expect(await Promise.all(pending)).toEqual([message, message])
  expect([worker.ended, engine.fault()]).toEqual([true, 'running'])
  await expect(engine.decode(frame(), 'first')).rejects.toThrow(message)
  const next = await loaded()
  expect(next.engine).not.toBe(engine)
  next.worker.answer({ kind: 'decoded', id: 1, decoded: { codes: [], seen: null, unmodifiedPassMs: 1, extraPass: null } })
  expect(await next.pending[0]).toBe('decoded')
})

test('a picture that cannot be read rejects its frame alone', async () => {
  const { engine, worker, pending } = await loaded()
  worker.answer({ kind: 'broken', id: 1, message: 'no canvas', fatal: false })
  worker.answer({ kind: 'decoded', id: 2, decoded: { codes: [], seen: null, unmodifiedPassMs: 1, extraPass: null } })
  expect(await Promise.all(pending)).toEqual(['no canvas', 'decoded'])
  expect([engine.fault(), getDecodeEngine() === engine]).toEqual([null, true])
})

test('an engine that does not load is replaced by the next call', async () => {
  const engine = getDecodeEngine()
  workers[0]?.answer({ kind: 'failed', message: 'no wasm' })
  await expect(engine.ready).rejects.toThrow('no wasm')
  await expect(engine.decode(frame(), 'first')).rejects.toThrow('no wasm')
  expect([engine.fault(), getDecodeEngine() === engine]).toEqual(['loading', false])
})
