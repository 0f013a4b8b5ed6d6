import '@/testing/indexedDb'
import { screen, within } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { endSessionAndKeepData, type SessionUser } from '@/api/session'
import type { FieldConflict } from '@/api/types'
import { createReply, stubServer } from '@/testing/server'
import { LEADER, OPERATOR, renderPage, signInAs, SUPERVISOR } from '@/testing/renderPage'
import OutboxPage from './OutboxPage'

const conflict: FieldConflict = {
  id: 1, vehicle_id: 7, vin_number: 'HB20 000007', campaign_id: 5, campaign_name: 'Airbag', field: 'status', base: '', theirs: 'ng', theirs_at: '2026-11-20T12:00:00Z', theirs_by_hmc: '1009',
  mine: 'ok', mine_at: '2026-11-20T12:05:00Z', mine_by_hmc: '1004', device_time: null, shown: 'theirs', state: 'open', chosen: null, settled_at: null, settled_by_hmc: null,
}
const vehicle = { id: 7, vin_number: 'HB20 000007', campaign_id: 5, campaign_name: 'Airbag', status: 'ng', inspected: true, parking_space: 'B-204', id_yard: 2, version: 1, open_conflicts: 1 }
const WAITING = 'Aguardando um líder de equipe ou supervisor.'

afterEach(endSessionAndKeepData)

async function open(user: SessionUser, more: Partial<FieldConflict> = {}, answer: Parameters<typeof stubServer>[0][string] = vehicle) {
  signInAs(user)
  stubServer({ 'GET /conflicts': { conflicts: [{ ...conflict, ...more }], meta: { page_index: 0, per_page: 50, total_count: 1 } }, 'GET /vehicles/7': answer })
  renderPage(OutboxPage, '/outbox', '/outbox')
  return within(await screen.findByRole('region', { name: 'Your conflicts' }))
}

test.each([['team leader', LEADER], ['supervisor', SUPERVISOR]])('a %s who may resolve a conflict is not told to wait, and sees space and campaign', async (_, user) => {
  const conflicts = await open(user)
  expect(conflicts.getByRole('link', { name: 'Resolve' }).getAttribute('href')).toBe('/conflicts?campaign=5')
  expect(conflicts.queryByText(WAITING)).toBeNull()
  expect(await conflicts.findByRole('img', { name: 'B-204' })).toBeTruthy()
  expect(conflicts.getByText('Airbag')).toBeTruthy()
})

test('an operator is told who resolves a conflict', async () => {
  const conflicts = await open(OPERATOR, {}, createReply(404, { code: 'NO_VEHICLE', message: '' }))
  expect(conflicts.getByText(WAITING)).toBeTruthy()
  expect(conflicts.getByText('Airbag')).toBeTruthy()
  expect(conflicts.queryByRole('link', { name: 'Resolve' })).toBeNull()
})

test('a team leader is not sent to a conflict that only a supervisor resolves', async () => {
  const conflicts = await open(LEADER, { field: 'parking_space' })
  expect(conflicts.getByText('Aguardando um supervisor.')).toBeTruthy()
  expect(conflicts.queryByRole('link', { name: 'Resolve' })).toBeNull()
})
