import { screen, waitFor } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { endSessionAndKeepData } from '@/api/session'
import { refreshVehicleCounts } from '@/api/vehicleCache'
import { createReply, stubServer } from '@/testing/server'
import { createTestQueryClient, signInAs, renderPage, SUPERVISOR } from '@/testing/renderPage'
import { expectPresent } from '@/testing/createFake'
import AuditLogPage from './AuditLogPage'

const event = { id: 'auth-1', at: '2026-11-21T01:02:03Z', hmc: '1002', user_type: 'admin', kind: 'user-changed', subject: 'user 3', summary: 'changed the user', ip: '10.0.0.7' }
const page = { events: [event], meta: { page_index: 0, per_page: 10, total_count: 11, has_more: true } }

const user = { id: 3, hmc: '4711', user_type: 'op', created_at: event.at }
const airbag = { id: 5, name: 'Airbag', product: 'Patio', status: 'Ongoing', total_vehicles: 1, total_inspected: 0, created_at: '2026-11-01T00:00:00Z' }
const KNOWN = { 'GET /users': [user], 'GET /campaigns': { campaigns: [airbag], meta: { page_index: 0, total_count: 1, per_page: 200 } } }

afterEach(endSessionAndKeepData)

function open(answer: object, query = '', others: Record<string, object> = KNOWN) {
  signInAs(SUPERVISOR)
  const calls = stubServer({ 'GET /logs/audit': answer, ...others })
  return { person: renderPage(AuditLogPage, '/logs-audit', `/logs-audit${query}`), asked: () => Object.fromEntries(calls.findLast(({ name }) => name === 'GET /logs/audit')?.query ?? []) }
}

const findRow = async (text: string | RegExp) => expectPresent((await screen.findByText(text)).closest<HTMLElement>('li, tr'))

test('each event says who did what, when and from where', async () => {
  open(page)
  const row = await findRow(/changed the user/)
  await screen.findByText('HMC 4711')
  for (const text of ['1002', 'Supervisor', 'User changed', 'HMC 4711: changed the user', '20/11/2026 22:02:03', '10.0.0.7']) expect(row.textContent).toContain(text)
})

test('a user is named by the login name, a deleted one by the name that the event recorded, and by the number while no name is known', async () => {
  const gone = { ...event, id: 'auth-2', subject: 'user 7', summary: 'deleted the user', old: { hmc: '1777' } }
  const other = { ...event, id: 'auth-3', subject: 'user 8', summary: 'unlocked the account' }
  const own = { ...event, id: 'auth-4', subject: 'user 2', summary: 'changed their password' }
  open({ ...page, events: [event, gone, other, own] })
  await screen.findByText('HMC 4711')
  const texts = [...document.querySelectorAll('main p, p')].map((text) => text.textContent)
  for (const text of ['HMC 4711: changed the user', 'HMC 1777: deleted the user', 'User 8: unlocked the account', 'HMC 1002: changed their password']) expect(texts).toContain(text)
})

test('users keep their numbers when their names cannot be loaded', async () => {
  open(page, '', { 'GET /users': createReply(403, { code: 'FORBIDDEN', message: 'no' }) })
  expect(await screen.findByRole('link', { name: 'User 3' })).toBeTruthy()
})

test('the VIN and the campaign in a summary are links, in place of the number of the vehicle', async () => {
  const saved = { ...event, kind: 'vehicle-changed', subject: 'vehicle 12', summary: 'CR2 000001 of Airbag saved as ok, scanned' }
  open({ ...page, events: [saved, { ...saved, id: 'campaign-1', kind: 'campaign-changed', subject: 'campaign 5', summary: 'campaign "Airbag": part' }] })
  await waitFor(() => expect(screen.getAllByRole('link').map((link) => `${link.textContent} ${link.getAttribute('href')}`)).toEqual(['CR2 000001 /vehicle/12', 'Airbag /campaign/5', 'Airbag /campaign/5']))
  expect(screen.getByText('CR2 000001').closest('p')?.textContent).toBe('CR2 000001 of Airbag saved as ok, scanned')
})

test('the names of the campaigns are not loaded again when the progress of the campaigns changes', async () => {
  signInAs(SUPERVISOR)
  const calls = stubServer({ 'GET /logs/audit': { ...page, events: [{ ...event, kind: 'vehicle-changed', subject: 'vehicle 12', summary: 'CR2 000001 of Airbag saved as ok, scanned' }] }, ...KNOWN })
  const queries = createTestQueryClient()
  renderPage(AuditLogPage, '/logs-audit', '/logs-audit', queries)
  await screen.findByRole('link', { name: 'Airbag' })
  await refreshVehicleCounts(queries)
  expect(calls.filter(({ name }) => name === 'GET /campaigns')).toHaveLength(1)
})

test('the subject of an event is a link to its page unless it was deleted', async () => {
  const vehicle = { ...event, id: 'vehicle-1', kind: 'vehicle-changed', subject: 'vehicle 12', summary: 'saved' }
  const changed = { ...event, id: 'campaign-1', kind: 'campaign-changed', subject: 'campaign 5', summary: 'renamed' }
  const deleted = { ...changed, id: 'campaign-2', kind: 'campaign-deleted', summary: 'removed' }
  const opened = { ...event, id: 'auth-2', kind: 'bulk-changed', subject: 'all campaigns', summary: 'edited' }
  open({ ...page, events: [vehicle, { ...changed, id: 'campaign-3', subject: 'campaign 6' }, event, deleted, changed, opened] })
  await screen.findByText('HMC 4711')
  expect(screen.getAllByRole('link').map((link) => `${link.textContent} ${link.getAttribute('href')}`)).toEqual(['Vehicle 12 /vehicle/12', 'Campaign 6 /campaign/6', 'HMC 4711 /user-management?user=3'])
})

test('what changed is shown as old and new', async () => {
  open({ ...page, events: [{ ...event, old: { user_type: 'op' }, new: { user_type: 'tm' } }] })
  expect((await screen.findByRole('list', { name: 'Before → after' })).textContent).toBe('Access level Operator → Team Leader')
})

test('a replaced value is marked, a value without an earlier one is not', async () => {
  open({ ...page, events: [{ ...event, old: { user_type: 'op' }, new: { user_type: 'tm', hmc: '1003' } }] })
  const changes = await screen.findByRole('list', { name: 'Before → after' })
  expect([...changes.children].map((change) => [change.textContent, change.hasAttribute('data-replaced')])).toEqual([['Access level Operator → Team Leader', true], ['HMC 1003', false]])
})

test('a resolved conflict says which value was kept', async () => {
  open({ ...page, events: [{ ...event, kind: 'vehicle-changed', subject: 'vehicle 12', new: { conflict: 7, chosen: 'mine' } }] })
  expect((await screen.findByRole('list', { name: 'Before → after' })).textContent).toBe('Conflict 7Kept second value')
})

test('a summary that only repeats the event is left out', async () => {
  open({ ...page, events: [{ ...event, kind: 'login', summary: 'signed in' }] })
  const row = await findRow('HMC 4711')
  expect(row.textContent).toContain('Signed inHMC 4711')
  expect(row.textContent).not.toContain('signed in')
})

test('up to three changes are all shown: short ones on one line, long ones below; times are written as elsewhere', async () => {
  const notes = 'Scratch on the left door. '.repeat(4).trim()
  const changes = { old: { admin_notes: '', status: '' }, new: { admin_notes: notes, status: 'OK', claimed_device_time: '2026-11-21T01:02:03Z' } }
  open({ ...page, events: [{ ...event, kind: 'vehicle-changed', subject: 'vehicle 12', ...changes }] })
  const row = await findRow(/changed the user/)
  const lists = [...row.querySelectorAll('ul')].map((list) => [...list.children].map((change) => change.textContent))
  expect(lists).toEqual([['Status (empty) → OK', 'Device time 20/11/2026 22:02:03'], [`QC / Supervisor Notes (empty) → ${notes}`]])
  expect(row.querySelector('details')).toBeNull()
})

test('from four changes on, those that do not fit on the line are opened on demand', async () => {
  const notes = 'Scratch on the left door. '.repeat(4).trim()
  const changes = { old: { admin_notes: '', status: '' }, new: { admin_notes: notes, status: 'OK', inspected: true, claimed_device: 'Phone' } }
  open({ ...page, events: [{ ...event, kind: 'vehicle-changed', subject: 'vehicle 12', ...changes }] })
  await findRow(/changed the user/)
  expect(screen.getByText('1 more change').closest('details')?.open).toBe(false)
})

test('page views are left out until the chip or the address asks for them', async () => {
  const { person, asked } = open(page, '?page=2')
  await waitFor(() => expect(asked()).toEqual({ page: '1', page_views: 'false' }))
  const chip = screen.getByRole('button', { name: 'Page views' })
  expect(chip.getAttribute('aria-pressed')).toBe('false')
  await person.click(chip)
  await waitFor(() => expect(asked()).toEqual({ page: '0' }))
  expect([chip.getAttribute('aria-pressed'), window.location.search]).toEqual(['true', '?page_views=1'])
  await person.click(chip)
  await waitFor(() => expect(asked()).toEqual({ page: '0', page_views: 'false' }))
  expect(window.location.search).toBe('')
})

test('an address with page views opens with them', async () => {
  const { asked } = open(page, '?page_views=1')
  await waitFor(() => expect(asked()).toEqual({ page: '0' }))
})

test('a chosen event alone decides what is listed', async () => {
  const { asked } = open(page, '?kind=page-view')
  await waitFor(() => expect(asked()).toEqual({ page: '0', kind: 'page-view' }))
  expect(screen.queryByRole('button', { name: 'Page views' })).toBeNull()
})

test('the filters of the address are asked for, days from their begin to their end at UTC-3', async () => {
  const { asked } = open(page, '?kind=login&hmc=1002&from=2026-11-20&to=2026-11-20&page=2')
  await waitFor(() => expect(asked()).toEqual({ page: '1', kind: 'login', hmc: '1002', from: '2026-11-20T03:00:00.000Z', to: '2026-11-21T03:00:00.000Z' }))
})

test('a choice of what happened begins on the first page again', async () => {
  const { person, asked } = open(page, '?page=2')
  await person.selectOptions(screen.getByLabelText('Event'), 'Locked out')
  await waitFor(() => expect(asked()).toEqual({ page: '0', kind: 'lockout' }))
  await person.click(screen.getByRole('button', { name: 'Clear filters' }))
  await waitFor(() => expect(asked()).toEqual({ page: '0', page_views: 'false' }))
})

test('a list that cannot be loaded says so', async () => {
  open(createReply(403, { code: 'FORBIDDEN', message: 'only the developer account may' }))
  expect(await screen.findByText('Seu nível de acesso não permite esta ação. Peça a um supervisor.')).toBeTruthy()
})
