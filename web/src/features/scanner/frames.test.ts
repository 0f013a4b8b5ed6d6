import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Decoded } from './decoder'
import type { Engine } from './engine'
import { DEFAULTS, EVERY, IN_TURN } from './formats'
import { followFrames } from './frames'

const nothing: Decoded = { codes: [] } as unknown as Decoded
const code = { codes: [{ text: 'HB20 000123' }] } as unknown as Decoded

/** A camera whose next picture is there at once, and an engine that answers in turn. */
function scene(...answers: (Decoded | Error)[]) {
  vi.stubGlobal('OffscreenCanvas', () => undefined)
  vi.stubGlobal('createImageBitmap', async () => ({}))
  const asked: number[] = []
  const broken: Error[] = []
  const video = { videoWidth: 1080, videoHeight: 1080, requestVideoFrameCallback: (look: () => void) => look() } as unknown as HTMLVideoElement
  const engine = {
    decode: async () => {
      asked.push(Date.now())
      const answer = answers.shift() ?? nothing
      if (answer instanceof Error) throw answer
      return answer
    },
  } as unknown as Engine
  const stop = followFrames({ video, engine, onDecoded: () => false, onBroken: (error) => broken.push(error) })
  const gaps = () => asked.slice(1).map((at, index) => at - (asked[index] ?? 0))
  return { gaps, broken, stop }
}

beforeEach(() => vi.useFakeTimers())
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

test('the next picture is looked at 300 ms after a code and 10 ms after none', async () => {
  const { gaps, stop } = scene(nothing, nothing, code, nothing)
  await vi.advanceTimersByTimeAsync(325)
  stop()
  expect(gaps().slice(0, 4)).toEqual([10, 10, 300, 10].slice(0, gaps().length))
  expect(gaps().length).toBeGreaterThanOrEqual(3)
})

test('three failures in a row are tried again after 300 ms each; the fourth is reported', async () => {
  const lost = () => new Error('lost')
  const { gaps, broken } = scene(lost(), lost(), lost(), nothing, lost(), lost(), lost(), lost(), nothing)
  await vi.advanceTimersByTimeAsync(900)
  expect(broken).toEqual([])
  await vi.advanceTimersByTimeAsync(2000)
  expect(gaps()).toEqual([300, 300, 300, 10, 300, 300, 300])
  expect(broken.map(({ message }) => message)).toEqual(['lost'])
})

test('the decoder has the defaults of the specification', () => {
  expect(DEFAULTS).toEqual({
    formats: [...EVERY], tryHarder: true, tryRotate: true, tryInvert: true, tryDownscale: true, tryDenoise: false, binarizer: 'LocalAverage',
    downscaleFactor: 3, downscaleThreshold: 500, minLineCount: 2, eanAddOnSymbol: 'Ignore', textMode: 'Plain',
    maxNumberOfSymbols: 1, // only the first code is taken; where several are asked for it is 255
  })
  expect([...EVERY].toSorted()).toEqual(['Code128', 'Code39Std', 'Code93', 'DataMatrix', 'EAN13', 'EAN8', 'MicroQRCode', 'PDF417', 'QRCode', 'UPCA', 'UPCE'])
  for (const options of IN_TURN) expect({ ...options, formats: DEFAULTS.formats, tryInvert: true }).toEqual(DEFAULTS)
  expect(new Set(IN_TURN.flatMap(({ formats }) => [formats].flat()))).toEqual(new Set(EVERY))
})
