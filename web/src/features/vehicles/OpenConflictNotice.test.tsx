import { screen, waitFor } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { endSessionAndKeepData, type SessionUser } from '@/api/session'
import type { FieldConflict, Vehicle } from '@/api/types'
import { createFake } from '@/testing/createFake'
import { createReply, stubServer } from '@/testing/server'
import { LEADER, OPERATOR, renderPage, signInAs, SUPERVISOR } from '@/testing/renderPage'
import { OpenConflictNotice } from './OpenConflictNotice'

const vehicle = createFake<Vehicle>({ id: 7, campaign_id: 5, open_conflicts: 1 })
const status = createFake<FieldConflict>({ id: 1, vehicle_id: 7, field: 'status', theirs: 'ng', theirs_by_hmc: '4712', theirs_at: '2026-11-20T12:00:00Z', mine: 'ok', mine_by_hmc: '4711', mine_at: '2026-11-20T12:05:00Z' })
const space: FieldConflict = { ...status, id: 2, field: 'parking_space', theirs: 'B-1', mine: 'B-2' }
const note: FieldConflict = { ...status, id: 3, field: 'operator_notes', theirs: 'A long note', mine: '' }

afterEach(endSessionAndKeepData)

function open(user: SessionUser, conflicts: FieldConflict[], more: Parameters<typeof stubServer>[0] = {}) {
  signInAs(user)
  const calls = stubServer({ 'GET /conflicts': { conflicts: [{ ...status, id: 9, vehicle_id: 8 }, ...conflicts], meta: { page_index: 0, per_page: 50, total_count: 2 } }, ...more })
  const person = renderPage(() => <OpenConflictNotice vehicle={{ ...vehicle, open_conflicts: conflicts.length }} />, '/vehicle/:id', '/vehicle/7')
  return { person, calls }
}
/** Value, author and time of each side, as shown above its button. */
const sides = () => screen.getAllByRole('button').map(({ parentElement }) => [...(parentElement?.children ?? [])].slice(0, -1).map(({ textContent }) => textContent).join(''))
const names = () => screen.queryAllByRole('button').map(({ textContent }) => textContent)

test('who may resolve a conflict reads both values and keeps one in one tap', async () => {
  const { person, calls } = open(LEADER, [status], { 'POST /conflicts/1/settle': createReply(409, { code: 'SETTLED', message: '' }) })
  await screen.findByRole('heading', { name: 'Status' })
  expect(screen.getByRole('heading', { name: 'Open conflict' })).toBeTruthy()
  expect(sides()).toEqual(['ng471220/11/2026 09:00:00', 'ok471120/11/2026 09:05:00'])
  expect(names()).toEqual(['Keep ng', 'Keep ok'])
  expect(screen.queryByRole('link')).toBeNull()
  await person.click(screen.getByRole('button', { name: 'Keep ok' }))
  await waitFor(() => expect(calls.filter(({ name }) => name.endsWith('/settle')).map(({ json }) => json.choice)).toEqual(['mine']))
  await screen.findByText('Nada mudou: o conflito já foi resolvido, ou o veículo mudou depois.')
})

test('the buttons of a note name its author, since a note is too long', async () => {
  open(SUPERVISOR, [note, space])
  await screen.findByText('A long note')
  expect(screen.getByText('empty')).toBeTruthy()
  expect(names()).toEqual(["Keep 4712's value", "Keep 4711's value", 'Keep B-1', 'Keep B-2'])
})

test('a team leader is led to the list for a value that only a supervisor may choose', async () => {
  open(LEADER, [space])
  expect((await screen.findByRole('link', { name: 'Resolve conflict' })).getAttribute('href')).toBe('/conflicts?campaign=5')
  expect(names()).toEqual([])
})

test('an operator reads who will choose, and nothing is asked for', () => {
  const { calls } = open(OPERATOR, [status])
  expect(screen.getByText(/Um líder de equipe ou supervisor vai escolher\.$/)).toBeTruthy()
  expect(calls).toEqual([])
})
