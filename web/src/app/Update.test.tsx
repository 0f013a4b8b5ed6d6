import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, expect, test, vi } from 'vitest'
import { keepOffline, waiting } from './offline'
import { Update } from './Update'

const told: unknown[] = []
const fresh = { state: 'installed', postMessage: (message: unknown) => told.push(message) } as unknown as ServiceWorker

beforeEach(() => {
  told.length = 0
  waiting.set(null)
})

test('a new version is offered and taken only when asked for; then the page loads anew', async () => {
  const container = new EventTarget()
  const reload = vi.fn()
  vi.stubGlobal('navigator', { ...navigator, serviceWorker: container })
  vi.spyOn(window.location, 'reload').mockImplementation(reload)
  waiting.set(fresh)
  render(<Update />)
  expect(told).toEqual([])
  await userEvent.click(screen.getByRole('button', { name: 'Reload now' }))
  expect([told, reload.mock.calls.length]).toEqual([[{ type: 'SKIP_WAITING' }], 0])
  expect(screen.getByRole('button', { name: 'Reload now' }).getAttribute('aria-busy')).toBe('true')
  container.dispatchEvent(new Event('controllerchange'))
  expect(reload).toHaveBeenCalledTimes(1)
})

test.each(['activated', 'redundant'])('a new version that another tab has let in or replaced (%s) is shown at once', async (state) => {
  const reload = vi.spyOn(window.location, 'reload').mockImplementation(() => {})
  vi.stubGlobal('navigator', { ...navigator, serviceWorker: new EventTarget() })
  waiting.set({ ...fresh, state } as ServiceWorker)
  render(<Update />)
  await userEvent.click(screen.getByRole('button', { name: 'Reload now' }))
  expect([told, reload.mock.calls.length]).toEqual([[], 1])
})

test('later means later: what is being typed stays', async () => {
  waiting.set(fresh)
  render(<Update />)
  await userEvent.click(screen.getByRole('button', { name: 'Later' }))
  expect([screen.queryByRole('button'), told]).toEqual([null, []])
})

test('a version that waited already, and one that comes while the page is open, are both offered', async () => {
  const registration = Object.assign(new EventTarget(), { waiting: null, installing: null as unknown, update: async () => {} })
  const container = Object.assign(new EventTarget(), { register: async () => registration, controller: {} })
  vi.stubEnv('PROD', true)
  vi.stubGlobal('navigator', { ...navigator, serviceWorker: container })
  vi.stubGlobal('requestIdleCallback', (run: () => void) => run())
  keepOffline()
  await Promise.resolve()
  await Promise.resolve()
  const installing = Object.assign(new EventTarget(), { state: 'installing' })
  registration.installing = installing
  registration.dispatchEvent(new Event('updatefound'))
  expect(waiting.get()).toBeNull()
  installing.state = 'installed'
  installing.dispatchEvent(new Event('statechange'))
  expect(waiting.get()).toBe(installing)
})
