import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, expect, test, vi } from 'vitest'
import { createFake } from '@/testing/createFake'
import { waitingServiceWorker } from './serviceWorker'
import { UpdatePrompt } from './UpdatePrompt'

const messages: unknown[] = []
const fresh = createFake<ServiceWorker>({ state: 'installed', postMessage: (message: unknown) => messages.push(message) })

beforeEach(() => {
  messages.length = 0
  waitingServiceWorker.set(null)
})

test('a new version is offered and activated only when the person accepts; then the page reloads', async () => {
  const container = new EventTarget()
  const reload = vi.fn()
  vi.stubGlobal('navigator', { ...navigator, serviceWorker: container })
  vi.spyOn(window.location, 'reload').mockImplementation(reload)
  waitingServiceWorker.set(fresh)
  render(<UpdatePrompt />)
  expect(messages).toEqual([])
  await userEvent.click(screen.getByRole('button', { name: 'Update now' }))
  expect([messages, reload.mock.calls.length]).toEqual([[{ type: 'SKIP_WAITING' }], 0])
  expect(screen.getByRole('button', { name: 'Update now' }).getAttribute('aria-busy')).toBe('true')
  container.dispatchEvent(new Event('controllerchange'))
  expect(reload).toHaveBeenCalledTimes(1)
})

test.each(['activated', 'redundant'])('the page reloads at once when another tab has activated or replaced the new version (%s)', async (state) => {
  const reload = vi.spyOn(window.location, 'reload').mockImplementation(() => {})
  vi.stubGlobal('navigator', { ...navigator, serviceWorker: new EventTarget() })
  waitingServiceWorker.set(createFake<ServiceWorker>({ ...fresh, state }))
  render(<UpdatePrompt />)
  await userEvent.click(screen.getByRole('button', { name: 'Update now' }))
  expect([messages, reload.mock.calls.length]).toEqual([[], 1])
})

test('the prompt can be postponed', async () => {
  waitingServiceWorker.set(fresh)
  render(<UpdatePrompt />)
  await userEvent.click(screen.getByRole('button', { name: 'Later' }))
  expect([screen.queryByRole('button'), messages]).toEqual([null, []])
})

test.each([
  ['before', 'registering ends'],
  ['after', 'registering has ended'],
])('a version whose installation begins %s %s is offered once it is installed', async (order) => {
  vi.resetModules()
  const serviceWorker = await import('./serviceWorker')
  const installing = Object.assign(new EventTarget(), { state: 'installing' })
  const registration = Object.assign(new EventTarget(), { waiting: null, installing: order === 'before' ? installing : null, update: async () => {} })
  const container = Object.assign(new EventTarget(), { register: async () => registration, controller: {} })
  vi.stubEnv('PROD', true)
  vi.stubGlobal('navigator', { ...navigator, serviceWorker: container })
  vi.stubGlobal('requestIdleCallback', (run: () => void) => run())
  serviceWorker.registerServiceWorker()
  await Promise.resolve()
  await Promise.resolve()
  if (order === 'after') {
    registration.installing = installing
    registration.dispatchEvent(new Event('updatefound'))
  }
  expect(serviceWorker.waitingServiceWorker.get()).toBeNull()
  installing.state = 'installed'
  installing.dispatchEvent(new Event('statechange'))
  expect(serviceWorker.waitingServiceWorker.get()).toBe(installing)
})
