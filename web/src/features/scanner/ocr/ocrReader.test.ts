import { afterEach, expect, test, vi } from 'vitest'
import { createFake } from '@/testing/createFake'
import type { CameraFrame } from '../protocol'
import type { OcrRequest, OcrResponse } from './protocol'
import { OCR_RESPONSE_TIMEOUT_MS, getOcrReader } from './ocrReader'

class FakeWorker extends EventTarget {
  static readonly all: FakeWorker[] = []
  readonly requests: OcrRequest[] = []
  ended = false
  constructor() {
    super()
    FakeWorker.all.push(this)
  }
  postMessage(request: OcrRequest): void {
    this.requests.push(request)
  }
  terminate(): void {
    this.ended = true
  }
  send(response: OcrResponse): void {
    this.dispatchEvent(new MessageEvent('message', { data: response }))
  }
}

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

test('a reader that runs out of memory or is silent ends what waits, and the next one has a new worker', async () => {
  vi.useFakeTimers()
  vi.stubGlobal('Worker', FakeWorker)
  const frame = createFake<CameraFrame>({ close: () => undefined })
  const first = getOcrReader()
  expect(getOcrReader()).toBe(first)
  FakeWorker.all[0]?.send({ kind: 'ready' })
  const found = first.find(frame)
  await vi.advanceTimersByTimeAsync(0)
  FakeWorker.all[0]?.send({ kind: 'found', order: [1, 0] })
  expect(await found).toEqual([1, 0])
  const text = first.read(1)
  await vi.advanceTimersByTimeAsync(0)
  FakeWorker.all[0]?.send({ kind: 'failed', message: 'out of memory' })
  await expect(text).rejects.toThrow('out of memory')
  await expect(first.read(0)).rejects.toThrow('out of memory')
  expect([first.hasFailed(), FakeWorker.all[0]?.ended]).toEqual([true, true])

  const second = getOcrReader()
  expect(FakeWorker.all.length).toBe(2)
  FakeWorker.all[1]?.send({ kind: 'ready' })
  const silent = second.read(0)
  const ended = expect(silent).rejects.toThrow('did not answer')
  await vi.advanceTimersByTimeAsync(OCR_RESPONSE_TIMEOUT_MS)
  await ended
  expect(getOcrReader()).not.toBe(second)
})

test('a request waits for the response to the one before it, so that a reopened reader gets the response to its own request', async () => {
  vi.stubGlobal('Worker', FakeWorker)
  const reader = getOcrReader()
  const worker = FakeWorker.all.at(-1)
  const soon = () => new Promise((resolve) => { setTimeout(resolve) })
  worker?.send({ kind: 'ready' })
  const abandoned = reader.read(0)
  await soon()
  const found = reader.find(createFake<CameraFrame>({ close: () => undefined }))
  await soon()
  expect(worker?.requests.map(({ kind }) => kind)).toEqual(['read'])
  const line = { text: 'HB20', confidences: [90, 90, 90, 90] }
  worker?.send({ kind: 'text', line })
  expect(await abandoned).toEqual(line)
  await soon()
  worker?.send({ kind: 'found', order: [2] })
  expect(await found).toEqual([2])
})
