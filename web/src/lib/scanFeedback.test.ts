import { afterEach, expect, test, vi } from 'vitest'
import { createFake } from '@/testing/createFake'
import type { ScanFeedback } from './scanFeedback'

const KINDS: ScanFeedback[] = ['matched', 'alreadyInspected', 'otherVehicle', 'unknown']
const LONG_MS = 150

afterEach(() => vi.restoreAllMocks())

/** Plays the feedback of each kind and returns the tones, as pitch and start, and the vibration. */
async function played() {
  const tones: [hertz: number, start: number][] = []
  const ramp = { setValueAtTime: () => undefined, linearRampToValueAtTime: () => undefined }
  class FakeAudio {
    state = 'running'
    currentTime = 0
    createGain = () => ({ gain: ramp, connect: () => undefined })
    createOscillator = () => {
      const oscillator = { type: '', frequency: { value: 0 }, connect: <T>(target: T) => target, start: (at: number) => tones.push([oscillator.frequency.value, at]), stop: () => undefined }
      return oscillator
    }
  }
  vi.resetModules()
  vi.stubGlobal('AudioContext', FakeAudio)
  const vibrations: number[][] = []
  vi.stubGlobal('navigator', createFake<Navigator>({ vibrate: (pattern: number | number[]) => vibrations.push([pattern].flat().map(Number)) > 0 }))
  const { prepareFeedbackSound, playScanFeedback } = await import('./scanFeedback')
  prepareFeedbackSound()
  return KINDS.map((kind) => {
    tones.length = 0
    playScanFeedback(kind)
    return { kind, sound: JSON.stringify(tones), vibration: vibrations.at(-1) ?? [] }
  })
}

test('the right car, a wrong car, an inspected car and an unknown code sound and feel different', async () => {
  const all = await played()
  expect(new Set(all.map(({ sound }) => sound)).size).toBe(KINDS.length)
  const felt = (pattern: number[]) => pattern.filter((_, index) => index % 2 === 0).map((ms) => (ms > LONG_MS ? 'long' : 'short')).join(' ')
  expect(Object.fromEntries(all.map(({ kind, vibration }) => [kind, felt(vibration)]))).toEqual({ matched: 'short', alreadyInspected: 'short short', otherVehicle: 'long long', unknown: 'long' })
})
