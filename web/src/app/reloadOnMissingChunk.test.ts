import { afterEach, beforeEach, expect, test, vi } from 'vitest'

const reload = vi.fn<() => void>()

/** Imports a fresh module, so that no listener of an earlier test acts, and dispatches a failed load of code. */
async function failToLoadCode(answer: () => Promise<Response>, isLeaving = false) {
  vi.stubGlobal('fetch', vi.fn<() => Promise<Response>>(answer))
  vi.resetModules()
  const { reloadOnMissingChunk } = await import('./reloadOnMissingChunk')
  reloadOnMissingChunk()
  if (isLeaving) window.dispatchEvent(new Event('beforeunload'))
  window.dispatchEvent(new Event('vite:preloadError'))
  await vi.advanceTimersByTimeAsync(10)
}

beforeEach(() => {
  vi.useFakeTimers()
  vi.spyOn(window.location, 'reload').mockImplementation(reload)
  sessionStorage.clear()
  reload.mockClear()
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const answers = () => Promise.resolve(new Response(null))

// The listeners of a window stay, so the test of a person who leaves, whose listeners would act in the other tests, is last.
test('a page whose code cannot be loaded although the server answers is reloaded, once', async () => {
  await failToLoadCode(answers)
  expect(reload).toHaveBeenCalledTimes(1)
  window.dispatchEvent(new Event('vite:preloadError'))
  await vi.advanceTimersByTimeAsync(10)
  expect(reload).toHaveBeenCalledTimes(1)
})

test('a page whose code cannot be loaded because the network has just gone stays', async () => {
  await failToLoadCode(() => Promise.reject(new TypeError('Failed to fetch')))
  expect(reload).not.toHaveBeenCalled()
})

test('a page that the person leaves does not reload when its code stops loading', async () => {
  await failToLoadCode(answers, true)
  expect(reload).not.toHaveBeenCalled()
})
