import { beforeEach, expect, test, vi } from 'vitest'
import { stubServer } from '@/testing/server'
import { OPERATOR, signInAs } from '@/testing/renderPage'
import { queryClient } from './queryClient'
import { loadInitialRoute } from './routes'

beforeEach(() => queryClient.clear())

test.each([
  ['/campaign/5/vehicles', ['GET /campaigns/5', 'GET /vehicles/campaign/5/all']],
  ['/vehicle/7', ['GET /vehicles/7']],
  ['/campaign-home', ['GET /campaigns']],
])('the data of %s is fetched before the page is rendered', async (path, requests) => {
  signInAs(OPERATOR)
  const calls = stubServer({})
  await loadInitialRoute(path, true)
  await vi.waitFor(() => expect(calls.map(({ name }) => name).toSorted()).toEqual(requests))
})

test('without a session nothing is fetched', async () => {
  vi.stubGlobal('requestIdleCallback', vi.fn()) // the home page is not loaded during the next tests
  const calls = stubServer({})
  await loadInitialRoute('/vehicle/7', false)
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(calls).toEqual([])
})
