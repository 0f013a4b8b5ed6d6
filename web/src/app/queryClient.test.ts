import { expect, test } from 'vitest'
import { ApiProblem, createOfflineProblem } from '@/api/apiProblem'
import { queryClient } from './queryClient'

/** Returns how many requests a query sends when each request fails with this error. */
async function countRequests(error: Error): Promise<number> {
  let requests = 0
  const queryFn = () => {
    requests++
    return Promise.reject(error)
  }
  await queryClient.fetchQuery({ queryKey: [error], queryFn, retryDelay: 0 }).catch(() => undefined)
  queryClient.clear()
  return requests
}

test.each([[502, 3], [503, 3], [504, 3], [500, 1], [501, 1], [404, 1], [429, 1]])('a query that fails with status %i sends %i requests', async (status, requests) => {
  expect(await countRequests(new ApiProblem(status, `HTTP_${status}`, ''))).toBe(requests)
})

test('a query is retried while the server is unreachable, and not after an error of the app', async () => {
  expect([await countRequests(createOfflineProblem()), await countRequests(new Error('unexpected'))]).toEqual([3, 1])
})
