import { afterEach, expect, test, vi } from 'vitest'
import { endSessionAndKeepData } from '@/api/session'
import { createReply, stubServer } from '@/testing/server'
import { createTestQueryClient, OPERATOR, signInAs } from '@/testing/renderPage'
import { LiveFeed } from './liveFeed'

const locked: Promise<void>[] = []
vi.mock('@/lib/tabsLock', () => ({
  runInOneTab: (_: string, signal: AbortSignal, act: (signal: AbortSignal) => Promise<void>) => {
    const run = act(signal)
    locked.push(run)
    return run
  },
}))
afterEach(endSessionAndKeepData)

/** Time in milliseconds within which the lock must be released. The mocked backoff is longer. */
const RELEASE_MS = 200

test('a tab that closes its connection during the backoff releases the lock at once', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(0.99) // the longest backoff
  signInAs(OPERATOR)
  const calls = stubServer({ 'GET /events': createReply(503, { code: 'UNAVAILABLE', message: '' }) })
  const feed = new LiveFeed(createTestQueryClient(), () => undefined)
  feed.start()
  await vi.waitFor(() => expect([calls.length, locked.length]).toEqual([1, 1]))
  await new Promise((resolve) => { setTimeout(resolve, 50) }) // the response is read, and the backoff has begun
  feed.start() // closes the earlier connection
  const late = new Promise<string>((resolve) => { setTimeout(resolve, RELEASE_MS, 'still locked') })
  expect(await Promise.race([locked[0], late])).toBeUndefined()
})
