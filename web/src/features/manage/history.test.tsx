import { screen, within } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { endSession } from '@/api/session'
import type { Job } from '@/api/types'
import { reply, serve } from '@/testing/server'
import { asUser, LEADER, show } from '@/testing/show'
import { History } from './History'

const job: Job = {
  id: 12, kind: 'status', detail: 'ok', campaigns: [{ id: 5, name: 'Airbag', deleted: false }, { id: 6, name: 'Brakes', deleted: true }], total_campaigns: 4,
  created_by_name: '1002', created_at: '2026-11-20T15:00:00Z', vehicles: 412, undone_by_name: null, undone_at: null, restored: 0, hindrance: null,
}
const imported: Job = { ...job, id: 11, kind: 'import', detail: 'cars.xlsx', campaigns: [{ id: 5, name: 'Airbag', deleted: false }], total_campaigns: 1, vehicles: 60 }
const pageOf = (...jobs: Job[]) => ({ jobs, meta: { page_index: 0, per_page: 10, total_count: jobs.length } })
const left = [{ id: 7, vin_number: 'HB20 000123', campaign_name: 'Airbag' }]

afterEach(endSession)

function open(answers: Parameters<typeof serve>[0]) {
  asUser(LEADER)
  const calls = serve(answers)
  return { person: show(History, '/campaign-list', '/campaign-list'), sent: (name: string) => calls.filter((call) => call.name === name) }
}
const undoOf = (name: RegExp) => screen.findByRole('button', { name })

test('a change is told in words and undone after YES, and those changed since are listed', async () => {
  const { person, sent } = open({ 'GET /jobs': pageOf(job), 'POST /jobs/12/undo': { undone: true, restored: 409, left, total_left: 3, deleted: 2 } })
  const row = within(await screen.findByRole('listitem'))
  expect(row.getByText('Status ok')).toBeTruthy()
  expect(row.getByText('412 vehicles · Airbag, Brakes (deleted) and 2 more')).toBeTruthy()
  await person.click(await undoOf(/^Undo Status ok/))
  expect(screen.getByRole('dialog', { name: 'Undo "Status ok"?' }).textContent).toContain('Até 412 veículos voltam a ser como antes')
  await person.click(screen.getByRole('button', { name: 'NO' }))
  expect(sent('POST /jobs/12/undo')).toHaveLength(0)
  await person.click(await undoOf(/^Undo Status ok/))
  await person.click(screen.getByRole('button', { name: 'YES' }))
  expect(await screen.findByText('409 veículos estão como antes.')).toBeTruthy()
  expect(screen.getByText('2 já tinham sido excluídos com sua campanha.')).toBeTruthy()
  const list = within(screen.getByRole('list', { name: '3 foram alterados depois e ficam como estão:' }))
  expect(list.getByRole('link', { name: 'HB20 000123' }).getAttribute('href')).toBe('/vehicle/7')
  expect(list.getByText('e mais 2')).toBeTruthy()
  await person.click(screen.getByRole('button', { name: 'Close' }))
  expect(screen.queryByRole('dialog')).toBeNull()
  expect(sent('GET /jobs').length).toBeGreaterThan(1)
})

test('an import says that its campaign goes, and a touched one why it stays', async () => {
  const { person } = open({ 'GET /jobs': pageOf(imported), 'POST /jobs/11/undo': { undone: false, restored: 0, left, total_left: 1, deleted: 0 } })
  await person.click(await undoOf(/^Undo Import of cars\.xlsx/))
  expect(screen.getByRole('dialog').textContent).toContain('A campanha Airbag e seus 60 veículos são excluídos, se nenhum deles foi alterado.')
  await person.click(screen.getByRole('button', { name: 'YES' }))
  expect(await screen.findByText(/^A campanha fica como está, pois 1 de seus veículos/)).toBeTruthy()
  expect(screen.getByRole('link', { name: 'HB20 000123' })).toBeTruthy()
})

test('what cannot be undone says why and has no button', async () => {
  const undone = { ...job, id: 1, hindrance: 'undone' as const, undone_by_name: '1003', undone_at: '2026-11-20T16:00:00Z', restored: 410 }
  open({ 'GET /jobs': pageOf(undone, { ...job, id: 2, hindrance: 'campaign-closed' }, { ...job, id: 3, hindrance: 'campaign-deleted' }, { ...job, id: 4, hindrance: 'supervisor-only' }) })
  expect(await screen.findByText('Undone by 1003 on 20/11/2026 13:00:00: 410 vehicles as before.')).toBeTruthy()
  expect(screen.getByText('Uma campanha está encerrada; reabra para desfazer.')).toBeTruthy()
  expect(screen.getByText('As campanhas foram excluídas; não há o que desfazer.')).toBeTruthy()
  expect(screen.getByText('Alterou notas de supervisor; só um supervisor desfaz.')).toBeTruthy()
  expect(screen.queryByRole('button', { name: /^Undo/ })).toBeNull()
})

test('a refusal stays in the dialog', async () => {
  const { person } = open({ 'GET /jobs': pageOf(job), 'POST /jobs/12/undo': reply(409, { code: 'CAMPAIGN_CLOSED', message: 'campaign `Airbag` is closed' }) })
  await person.click(await undoOf(/^Undo Status ok/))
  await person.click(screen.getByRole('button', { name: 'YES' }))
  expect((await screen.findByRole('alert')).textContent).toContain('Não foi desfeito.')
  expect(screen.getByRole('dialog')).toBeTruthy()
})

test('an empty history says so', async () => {
  open({ 'GET /jobs': pageOf() })
  expect(await screen.findByText('Nenhuma importação ou alteração em massa nos últimos 90 dias.')).toBeTruthy()
})
