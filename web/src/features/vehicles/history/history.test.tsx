import { screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { endSessionAndKeepData } from '@/api/session'
import type { Vehicle } from '@/api/types'
import { createFake } from '@/testing/createFake'
import { createReply, stubServer } from '@/testing/server'
import { renderPage, signInAs, LEADER } from '@/testing/renderPage'
import { HistorySection } from './HistorySection'

const vehicle = createFake<Vehicle>({ id: 7, version: 1, open_conflicts: 0 })
const HISTORY = 'GET /vehicles/7/history'
const at = '2026-11-20T12:00:00Z'
const save = { at, by_hmc: '1003', kind: 'save', origin: 'typed', device_time: null, job_id: null, file: '', fields: [{ field: 'status', old: '', new: 'ok', in_conflict: false }] }

afterEach(() => {
  vi.restoreAllMocks()
  endSessionAndKeepData()
})

const isNarrow = () => vi.spyOn(window, 'matchMedia').mockReturnValue(createFake<MediaQueryList>({ matches: false, addEventListener: () => undefined, removeEventListener: () => undefined }))

async function unfold(reply: Parameters<typeof stubServer>[0][string]) {
  isNarrow()
  signInAs(LEADER)
  const calls = stubServer({ [HISTORY]: reply })
  const person = renderPage(() => <HistorySection vehicle={vehicle} />, '/vehicle/:id', '/vehicle/7')
  expect(calls).toEqual([]) // a collapsed history sends no request
  const button = screen.getByRole('button', { name: 'History' })
  expect(button.getAttribute('aria-expanded')).toBe('false')
  await person.click(button)
  return { person, calls }
}

test('a failed history says why and is loaded again', async () => {
  let hasFailed = false
  const { person } = await unfold(() => {
    if (hasFailed) return { changes: [save], next: null }
    hasFailed = true
    return createReply(500, { code: 'INTERNAL', message: '' })
  })
  await screen.findByText(/Não foi possível carregar o histórico\./)
  await person.click(screen.getByRole('button', { name: 'Try again' }))
  expect((await screen.findByRole('listitem')).textContent).toMatch(/Not inspected.* to .*ok.*1003.*typed/)
  expect(screen.queryByRole('button', { name: 'Try again' })).toBeNull()
})

test('without a connection, the history says that it needs one', async () => {
  await unfold(() => {
    throw new TypeError('Failed to fetch')
  })
  await screen.findByText('O histórico não está disponível offline. Conecte-se para vê-lo.')
})

test("a device's clock is shown when it differs from the server's by more than two minutes", async () => {
  const ahead = { ...save, at: '2026-11-20T12:10:00Z', device_time: '2026-11-20T12:12:00Z' }
  await unfold({ changes: [ahead, { ...save, device_time: '2026-11-20T11:57:59Z' }], next: null })
  expect((await screen.findAllByText(/Hora do aparelho/)).map(({ textContent }) => textContent)).toEqual(['Hora do aparelho: 20/11/2026 08:57:59'])
})
