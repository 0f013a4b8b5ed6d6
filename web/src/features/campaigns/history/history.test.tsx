import { screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { endSessionAndKeepData } from '@/api/session'
import { createReply, stubServer } from '@/testing/server'
import { renderPage, signInAs, LEADER } from '@/testing/renderPage'
import { HistoryCard } from './HistoryCard'

const HISTORY = 'GET /campaigns/7/history'
const at = '2026-11-20T12:00:00Z'
const bulk = { job_id: 3, kind: 'undo', detail: 'ok', vehicles: 2 }
const UNDONE = { at, by_hmc: '1003', imported: null, fields: [], bulk }
const STARTED = { at, by_hmc: null, imported: null, fields: [{ field: 'status', old: 'Ready', new: 'Ongoing' }], bulk: null }

afterEach(endSessionAndKeepData)

async function unfold(reply: Parameters<typeof stubServer>[0][string]) {
  signInAs(LEADER)
  const calls = stubServer({ [HISTORY]: reply })
  const person = renderPage(() => <HistoryCard campaign={7} />, '/campaign/:id', '/campaign/7')
  expect(calls).toEqual([]) // a collapsed history sends no request
  await person.click(screen.getByRole('button', { name: 'History' }))
  return { person, calls }
}

test('a failed history says why and is loaded again', async () => {
  let hasFailed = false
  const { person } = await unfold(() => {
    if (hasFailed) return { entries: [UNDONE, STARTED], next: null }
    hasFailed = true
    return createReply(500, { code: 'INTERNAL', message: '' })
  })
  await screen.findByText(/Não foi possível carregar o histórico\./)
  await person.click(screen.getByRole('button', { name: 'Try again' }))
  const [first, second] = await screen.findAllByRole('listitem')
  expect(first?.textContent).toMatch(/Bulk change undone, 2 vehicles restored.*1003.*bulk change/)
  expect(second?.textContent).toMatch(/Status.*Ready.* to .*Ongoing.*automatic/)
})

test('a campaign without events says so', async () => {
  await unfold({ entries: [], next: null })
  await screen.findByText('Ainda sem alterações.')
})

test('older events are shown by a button from the position that the server named', async () => {
  let asked = 0
  const { person, calls } = await unfold(() => (asked++ === 0 ? { entries: [UNDONE], next: '5.1.6' } : { entries: [STARTED], next: null }))
  await person.click(await screen.findByRole('button', { name: 'Show older' }))
  await screen.findByText(/automatic/)
  expect(screen.getAllByRole('listitem')).toHaveLength(2)
  expect(calls).toHaveLength(2)
})
