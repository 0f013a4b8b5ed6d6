import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createFake } from '@/testing/createFake'
import type { DecodedFrame } from './decoder'
import type { DecodeEngine } from './engine'
import { startFrameLoop, IDLE_FRAME_INTERVAL_MS, WATCH_MODE_FRAME_INTERVAL_MS } from './frames'
import type { DecodeMode } from './decoder'
import { DEFAULT_CAMERA_VIEW_OPTIONS, SCAN_VIEW_OPTIONS } from './cameraViewOptions'

const nothing = createFake<DecodedFrame>({ codes: [], seen: null })
const code = createFake<DecodedFrame>({ codes: [{ text: 'HB20 000123' }] })

/**
 * Creates a fake camera that always has a new frame, and a fake engine that returns `answers` in order. An error named 'died' makes the
 * engine fail for good.
 */
function scene(answers: (DecodedFrame | Error)[] = [], next: (decoded: DecodedFrame) => DecodeMode = () => 'first', options = SCAN_VIEW_OPTIONS) {
  vi.stubGlobal('OffscreenCanvas', () => undefined)
  vi.stubGlobal('createImageBitmap', async () => ({}))
  const asked: number[] = []
  const broken: Error[] = []
  const replaced: DecodeEngine[] = []
  const video = createFake<HTMLVideoElement>({ videoWidth: 1080, videoHeight: 1080, requestVideoFrameCallback: (look: () => void) => look() })
  const startEngine = () => {
    let dead = false
    return createFake<DecodeEngine>({
      fault: () => (dead ? 'running' : null),
      decode: async () => {
        asked.push(Date.now())
        const answer = answers.shift() ?? nothing
        if (!(answer instanceof Error)) return answer
        dead = answer.message === 'died'
        throw answer
      },
    })
  }
  let current: DecodeEngine | null = null
  const getDecodeEngine = () => (current === null || current.fault() !== null ? (current = startEngine()) : current)
  const stop = startFrameLoop({ video, options, getDecodeEngine, onDecoded: next, onReplaced: (engine) => replaced.push(engine), onBroken: (error) => broken.push(error) })
  const gaps = () => asked.slice(1).map((at, index) => at - (asked[index] ?? 0))
  return { asked, gaps, broken, replaced, stop }
}

beforeEach(() => vi.useFakeTimers())
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

test('the next picture is looked at 300 ms after a code and 10 ms after none', async () => {
  const { gaps, stop } = scene([nothing, nothing, code, nothing])
  await vi.advanceTimersByTimeAsync(325)
  stop()
  expect(gaps().slice(0, 4)).toEqual([10, 10, 300, 10].slice(0, gaps().length))
  expect(gaps().length).toBeGreaterThanOrEqual(3)
})

test('three failures in a row are tried again after 300 ms each; the fourth is reported', async () => {
  const lost = () => new Error('lost')
  const { gaps, broken } = scene([lost(), lost(), lost(), nothing, lost(), lost(), lost(), lost(), nothing])
  await vi.advanceTimersByTimeAsync(900)
  expect(broken).toEqual([])
  await vi.advanceTimersByTimeAsync(2000)
  expect(gaps()).toEqual([300, 300, 300, 10, 300, 300, 300])
  expect(broken.map(({ message }) => message)).toEqual(['lost'])
})

test('with nothing in view, at most twelve pictures a second are decoded after the first eight', async () => {
  const { asked, gaps, stop } = scene()
  await vi.advanceTimersByTimeAsync(5000)
  stop()
  expect(gaps().slice(0, 8)).toEqual(Array.from({ length: 8 }, () => 10))
  expect(new Set(gaps().slice(8))).toEqual(new Set([IDLE_FRAME_INTERVAL_MS]))
  expect(asked.length / 5).toBeLessThanOrEqual(12)
})

test('a sighting brings full speed back', async () => {
  const sighted = createFake<DecodedFrame>({ codes: [], seen: {} })
  const { gaps, stop } = scene([...Array.from({ length: 12 }, () => nothing), sighted, sighted])
  await vi.advanceTimersByTimeAsync(1000)
  stop()
  expect(gaps().slice(10, 15)).toEqual([IDLE_FRAME_INTERVAL_MS, IDLE_FRAME_INTERVAL_MS, 10, 10, 10])
})

test('while a car sheet is open, two pictures a second are decoded', async () => {
  const { asked, gaps, stop } = scene([code, code, code, code], () => 'watch')
  await vi.advanceTimersByTimeAsync(4000)
  stop()
  expect([gaps()[0], new Set(gaps().slice(1))]).toEqual([300, new Set([WATCH_MODE_FRAME_INTERVAL_MS])])
  expect(asked.length / 4).toBeLessThan(2.5)
})

test('a failed engine is replaced, and the scan goes on with the new one', async () => {
  const { broken, replaced, gaps, stop } = scene([nothing, new Error('died'), code, new Error('died'), code])
  await vi.advanceTimersByTimeAsync(1500)
  stop()
  expect([replaced.length, broken]).toEqual([2, []])
  expect(gaps().slice(0, 4)).toEqual([10, 300, 300, 300])
})

test('engines that fail one after the other are reported', async () => {
  const { broken, replaced } = scene(Array.from({ length: 9 }, () => new Error('died')))
  await vi.advanceTimersByTimeAsync(3000)
  expect([replaced.length, broken.map(({ message }) => message)]).toEqual([3, ['died']])
})

test('without a tracker, the next picture is looked at 500 ms after none', async () => {
  const { gaps, stop } = scene([nothing, code], undefined, DEFAULT_CAMERA_VIEW_OPTIONS)
  await vi.advanceTimersByTimeAsync(1500)
  stop()
  expect(gaps()).toEqual([500, 300, 500])
})
