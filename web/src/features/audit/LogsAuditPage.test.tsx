import { screen, waitFor } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { endSession } from '@/api/session'
import { createReply, stubServer } from '@/testing/server'
import { signInAs, renderPage, SUPERVISOR } from '@/testing/show'
import { expectPresent } from '@/testing/fake'
import LogsAuditPage from './LogsAuditPage'

const event = { id: 'auth-1', at: '2026-11-21T01:02:03Z', hmc: '1002', user_type: 'admin', kind: 'user-changed', subject: 'user 3', summary: 'changed the user', ip: '10.0.0.7' }
const page = { events: [event], meta: { page_index: 0, per_page: 10, total_count: 11, has_more: true } }

afterEach(endSession)

function open(answer: object, query = '') {
  signInAs(SUPERVISOR)
  const calls = stubServer({ 'GET /logs/audit': answer })
  return { person: renderPage(LogsAuditPage, '/logs-audit', `/logs-audit${query}`), asked: () => Object.fromEntries(calls.at(-1)?.query ?? []) }
}

test('each event says who did what, when and from where', async () => {
  open(page)
  const row = expectPresent((await screen.findByText('User 3: changed the user')).closest<HTMLElement>('li, tr'))
  for (const text of ['1002', 'Supervisor', 'User changed', '20/11/2026 22:02:03', '10.0.0.7']) expect(row.textContent).toContain(text)
})

test('what changed is shown as old and new', async () => {
  open({ ...page, events: [{ ...event, old: { user_type: 'op' }, new: { user_type: 'tm' } }] })
  expect((await screen.findByRole('list', { name: 'Before → after' })).textContent).toBe('Access level Operator → Team Leader')
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
  await waitFor(() => expect(asked()).toEqual({ page: '0' }))
})

test('a list that cannot be loaded says so', async () => {
  open(createReply(403, { code: 'FORBIDDEN', message: 'only the developer account may' }))
  expect(await screen.findByText('Seu nível de acesso não permite esta ação. Peça a um supervisor.')).toBeTruthy()
})
