import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createFake } from '@/testing/createFake'
import { startVideoWatchdog } from './videoWatchdog'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

/** A fake video whose number of displayed frames the test sets. */
function fakeVideo() {
  const state = { pictures: 0, plays: 0 }
  const video = Object.assign(new EventTarget(), {
    paused: false, currentTime: 0, srcObject: null,
    getVideoPlaybackQuality: () => ({ totalVideoFrames: state.pictures }),
    play: async () => {
      state.plays++
      video.paused = false
    },
  })
  return { state, video: createFake<HTMLVideoElement & { paused: boolean }>(video) }
}

test('a picture that stands still for two seconds is reported, once each two seconds', async () => {
  const { state, video } = fakeVideo()
  const still = vi.fn()
  const stop = startVideoWatchdog(video, still)
  for (let second = 0; second < 5; second++) {
    state.pictures++
    await vi.advanceTimersByTimeAsync(1000)
  }
  expect(still).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(4000)
  expect(still).toHaveBeenCalledTimes(2)
  stop()
  await vi.advanceTimersByTimeAsync(4000)
  expect(still).toHaveBeenCalledTimes(2)
})

test('a video that was paused from outside plays again, also when nothing said so', async () => {
  const { state, video } = fakeVideo()
  const stop = startVideoWatchdog(video, () => {})
  video.dispatchEvent(new Event('pause'))
  expect(state.plays).toBe(1)
  video.paused = true
  await vi.advanceTimersByTimeAsync(500)
  expect(state.plays).toBe(2)
  stop()
})

test.each([{ muted: true, readyState: 'live' }, { muted: false, readyState: 'ended' }])('a track that is %o is reported within three seconds, although pictures go on', async (state) => {
  const { state: shown, video } = fakeVideo()
  const track = Object.assign(new EventTarget(), { muted: false, readyState: 'live' })
  vi.stubGlobal('MediaStream', class { getTracks = () => [track] })
  Object.assign(video, { srcObject: new MediaStream() })
  const still = vi.fn()
  const stop = startVideoWatchdog(video, still)
  const play = setInterval(() => shown.pictures++, 100)
  await vi.advanceTimersByTimeAsync(5000)
  expect(still).not.toHaveBeenCalled()
  Object.assign(track, state)
  await vi.advanceTimersByTimeAsync(3000)
  expect(still).toHaveBeenCalledTimes(1)
  stop()
  clearInterval(play)
  vi.unstubAllGlobals()
})
