import { afterEach, expect, test, vi } from 'vitest'
import { endSession } from '@/api/session'
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
afterEach(endSession)

/** Lets requests that are answered at once end. This takes less time than the shortest backoff. */
const soon = () => new Promise<string>((resolve) => { setTimeout(resolve, 100, 'still locked') })

test('a tab that closes its connection during the backoff releases the lock at once', async () => {
  signInAs(OPERATOR)
  const calls = stubServer({ 'GET /events': createReply(503, { code: 'UNAVAILABLE', message: '' }) })
  const feed = new LiveFeed(createTestQueryClient(), () => undefined)
  feed.start()
  await soon()
  expect([calls.length, locked.length]).toEqual([1, 1])
  feed.start() // closes the earlier connection
  expect(await Promise.race([locked[0], soon()])).toBeUndefined()
})
