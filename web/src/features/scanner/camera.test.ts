import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createFake } from '@/testing/createFake'
import { createCamera, CAPABILITIES_READ_DELAY_MS, CAMERA_START_TIMEOUT_MS, type CameraError, type CameraControlState } from './camera'

interface FakeTrack {
  readyState: string
  stop: () => void
}

/** A fake camera that answers each request in order with a stream or an error. */
function cameraOf(...answers: (Error | 'stream' | Promise<void>)[]) {
  const tracks: FakeTrack[] = []
  const asked: MediaStreamConstraints[] = []
  const streamOf = () => {
    const track = { readyState: 'live', stop: () => (track.readyState = 'ended'), addEventListener: () => {}, getSettings: () => ({}), getCapabilities: () => ({}) }
    tracks.push(track)
    return { getTracks: () => [track], getVideoTracks: () => [track], removeTrack: () => {} }
  }
  vi.stubGlobal('isSecureContext', true)
  vi.stubGlobal('navigator', {
    mediaDevices: {
      getUserMedia: async (constraints: MediaStreamConstraints) => {
        asked.push(constraints)
        const answer = answers.shift() ?? 'stream'
        if (answer instanceof Error) throw answer
        if (answer !== 'stream') await answer
        return streamOf()
      },
    },
  })
  return { tracks, asked, states: () => tracks.map(({ readyState }) => readyState) }
}

const videoOf = (play: () => Promise<void> = async () => {}) =>
  createFake<HTMLVideoElement>({ play, readyState: 4, addEventListener: () => {}, srcObject: null })
const quiet = { onControls: () => {} }
const named = (name: string) => Object.assign(new Error(name), { name })

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

test('limits that no camera meets are dropped; audio is never asked for', async () => {
  const { asked } = cameraOf(named('OverconstrainedError'), 'stream')
  expect(await createCamera(quiet).start(videoOf())).toBe(true)
  const [first, second] = asked.map(({ video }) => video)
  // The ideal height exceeds the 720 of SPEC.md, since a higher resolution reads smaller codes.
  expect(first).toEqual({ facingMode: 'environment', width: { min: 640, ideal: 1080, max: 1920 }, height: { min: 640, ideal: 1080, max: 1080 } })
  expect(second).toEqual({ facingMode: { ideal: 'environment' }, width: { ideal: 1080 }, height: { ideal: 1080 } })
  expect(asked.map(({ audio }) => audio)).toEqual([false, false])
})

test('the same video goes on with the running stream, unless a restart is asked for', async () => {
  const { states } = cameraOf()
  const camera = createCamera(quiet)
  const video = videoOf()
  await camera.start(video)
  await camera.start(video)
  expect(states()).toEqual(['live'])
  await camera.start(video, true)
  expect(states()).toEqual(['ended', 'live'])
  await camera.stop()
  expect([states(), video.srcObject]).toEqual([['ended', 'ended'], null])
})

test('a stop while the camera is being asked for leaves it off, and a start after it works', async () => {
  let open = () => {}
  const { states } = cameraOf(new Promise<void>((resolve) => (open = resolve)), 'stream')
  const camera = createCamera(quiet)
  const started = camera.start(videoOf())
  await Promise.resolve()
  const stopped = camera.stop()
  const again = camera.start(videoOf())
  open()
  expect([await started, await stopped, await again]).toEqual([false, undefined, true])
  expect(states()).toEqual(['ended', 'live'])
})

test('a camera that never plays is let go after three seconds, and the next start is not kept by it', async () => {
  const { states } = cameraOf()
  const camera = createCamera(quiet)
  const failed = camera.start(videoOf(() => new Promise(() => {}))).catch((error: CameraError) => error.trouble)
  await vi.advanceTimersByTimeAsync(CAMERA_START_TIMEOUT_MS)
  expect([await failed, states()]).toEqual(['timeout', ['ended']])
  expect(await camera.start(videoOf())).toBe(true)
})

test.each([['NotAllowedError', 'refused'], ['NotFoundError', 'noCamera'], ['NotReadableError', 'inUse'], ['Odd', 'start']])('%s is reported as %s', async (name, trouble) => {
  cameraOf(named(name))
  await expect(createCamera(quiet).start(videoOf())).rejects.toMatchObject({ trouble })
})

test('settings and capabilities are read half a second after the pictures came', async () => {
  cameraOf()
  const known: CameraControlState[] = []
  await createCamera({ onControls: (controls) => known.push(controls) }).start(videoOf())
  expect([CAMERA_START_TIMEOUT_MS, CAPABILITIES_READ_DELAY_MS]).toEqual([3000, 500])
  const before = known.length
  await vi.advanceTimersByTimeAsync(499)
  expect(known).toHaveLength(before)
  await vi.advanceTimersByTimeAsync(1)
  expect(known.slice(before)).toEqual([{ torch: null, zoom: null }])
})
