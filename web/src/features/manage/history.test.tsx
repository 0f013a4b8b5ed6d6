import { act, screen, within } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { endSessionAndKeepData } from '@/api/session'
import type { Job } from '@/api/types'
import { createReply, stubServer } from '@/testing/server'
import { signInAs, LEADER, renderPage } from '@/testing/renderPage'
import { JobHistoryList } from './JobHistoryList'

const job: Job = {
  id: 12, kind: 'status', detail: 'ok', campaigns: [{ id: 5, name: 'Airbag', deleted: false }, { id: 6, name: 'Brakes', deleted: true }], total_campaigns: 4,
  created_by_name: '1002', created_at: '2026-11-20T15:00:00Z', vehicles: 412, undone_by_name: null, undone_at: null, restored: 0, hindrance: null,
}
const imported: Job = { ...job, id: 11, kind: 'import', detail: 'cars.xlsx', campaigns: [{ id: 5, name: 'Airbag', deleted: false }], total_campaigns: 1, vehicles: 60 }
const pageOf = (...jobs: Job[]) => ({ jobs, meta: { page_index: 0, per_page: 10, total_count: jobs.length } })
const left = [{ id: 7, vin_number: 'HB20 000123', campaign_name: 'Airbag' }]

afterEach(endSessionAndKeepData)

function open(answers: Parameters<typeof stubServer>[0]) {
  signInAs(LEADER)
  const calls = stubServer(answers)
  return { person: renderPage(JobHistoryList, '/campaign-list', '/campaign-list'), sent: (name: string) => calls.filter((call) => call.name === name) }
}
const undoOf = (name: RegExp) => screen.findByRole('button', { name })

test('a change is described in words and undone after YES, and those changed since are listed', async () => {
  const { person, sent } = open({ 'GET /jobs': pageOf(job), 'POST /jobs/12/undo': { undone: true, restored: 409, left, total_left: 3, deleted: 2 } })
  const table = within(await screen.findByRole('table', { name: 'Imports and bulk changes' }))
  expect(table.getAllByRole('columnheader').map(({ textContent }) => textContent)).toEqual(['Change', 'Vehicles', 'Campaigns', 'By', 'When', 'Undo'])
  expect(table.getAllByRole('cell').map(({ textContent }) => textContent)).toEqual(['Status ok', '412', 'Airbag, Brakes (deleted) and 2 more', '1002', '20/11/2026 12:00:00', 'Undo'])
  expect(table.getByTitle('Airbag, Brakes (deleted) and 2 more').tagName).toBe('TD')
  await person.click(await undoOf(/^Undo Status ok/))
  expect(screen.getByRole('dialog', { name: 'Undo "Status ok"?' }).textContent).toContain('Restaura status, vaga e observações (veículos: até 412).')
  await person.click(screen.getByRole('button', { name: 'NO' }))
  expect(sent('POST /jobs/12/undo')).toHaveLength(0)
  await person.click(await undoOf(/^Undo Status ok/))
  await person.click(screen.getByRole('button', { name: 'YES' }))
  expect(await screen.findByText('409 veículos restaurados.')).toBeTruthy()
  expect(screen.getByText('Já excluídos com a campanha: 2.')).toBeTruthy()
  const list = within(screen.getByRole('list', { name: '3 veículos mudaram depois e foram ignorados:' }))
  expect(list.getByRole('link', { name: 'HB20 000123' }).getAttribute('href')).toBe('/vehicle/7')
  expect(list.getByText('e mais 2')).toBeTruthy()
  await person.click(screen.getByRole('button', { name: 'Close' }))
  expect(screen.queryByRole('dialog')).toBeNull()
  expect(sent('GET /jobs').length).toBeGreaterThan(1)
})

test('an import says that its campaign goes, and a touched one why it stays', async () => {
  const { person } = open({ 'GET /jobs': pageOf(imported), 'POST /jobs/11/undo': { undone: false, restored: 0, left, total_left: 1, deleted: 0 } })
  await person.click(await undoOf(/^Undo Import of cars\.xlsx/))
  expect(screen.getByRole('dialog').textContent).toContain('Exclui a campanha Airbag e seus veículos (60), se nenhum deles mudou depois.')
  await person.click(screen.getByRole('button', { name: 'YES' }))
  expect(await screen.findByText(/^Campanha não excluída. Veículos alterados depois da importação: 1/)).toBeTruthy()
  expect(screen.getByRole('link', { name: 'HB20 000123' })).toBeTruthy()
})

test('what cannot be undone says why and has no button', async () => {
  const undone = { ...job, id: 1, hindrance: 'undone' as const, undone_by_name: '1003', undone_at: '2026-11-20T16:00:00Z', restored: 410 }
  open({ 'GET /jobs': pageOf(undone, { ...job, id: 2, hindrance: 'campaign-closed' }, { ...job, id: 3, hindrance: 'campaign-deleted' }, { ...job, id: 4, hindrance: 'supervisor-only' }, { ...imported, id: 6, hindrance: 'inspected' }) })
  expect(await screen.findByText('Undone by 1003 on 20/11/2026 13:00:00. Vehicles restored: 410.')).toBeTruthy()
  expect(screen.getByText('Uma das campanhas está encerrada. Reabra-a para desfazer.')).toBeTruthy()
  expect(screen.getByText('As campanhas foram excluídas. Não há o que desfazer.')).toBeTruthy()
  expect(screen.getByText('Alterou observações do supervisor. Só um supervisor pode desfazer.')).toBeTruthy()
  expect(screen.getByText('Não pode ser desfeita: já há veículos inspecionados. Para remover a campanha, exclua-a na lista.')).toBeTruthy()
  expect(screen.queryByRole('button', { name: /^Undo/ })).toBeNull()
})

test('the history is fetched to its end, filtered by kind and searched by file, campaign or person', async () => {
  const later: Job = { ...job, id: 2, kind: 'csv', detail: 'spaces.csv', created_by_name: '1009' }
  const { person, sent } = open({ 'GET /jobs': ({ query }) => ({ jobs: query.get('page') === '0' ? [job, imported] : [later], meta: { page_index: 0, per_page: 200, total_count: 3 } }) })
  const titles = () => screen.getAllByRole('row').slice(1).map((row) => row.querySelector('strong')?.textContent)
  await screen.findByText('Status ok')
  expect([titles(), sent('GET /jobs').length]).toEqual([['Status ok', 'Import of cars.xlsx', 'CSV file spaces.csv'], 2])
  await person.click(screen.getByRole('button', { name: 'Imports 1' }))
  expect(titles()).toEqual(['Import of cars.xlsx'])
  await person.click(screen.getByRole('button', { name: 'All 3' }))
  await person.type(screen.getByRole('searchbox'), '1009')
  expect(titles()).toEqual(['CSV file spaces.csv'])
  await person.type(screen.getByRole('searchbox'), ' nobody')
  expect(screen.getByText('Nada corresponde à busca e aos filtros.')).toBeTruthy()
  await person.click(screen.getByRole('button', { name: 'Imports 1' }))
  await person.click(screen.getByRole('button', { name: 'Show all' }))
  expect([titles().length, screen.getByRole('searchbox').getAttribute('value'), screen.queryByRole('button', { name: 'Show all' })]).toEqual([3, '', null])
})

test('a refusal stays in the dialog', async () => {
  const { person } = open({ 'GET /jobs': pageOf(job), 'POST /jobs/12/undo': createReply(409, { code: 'CAMPAIGN_CLOSED', message: 'campaign `Airbag` is closed' }) })
  await person.click(await undoOf(/^Undo Status ok/))
  await person.click(screen.getByRole('button', { name: 'YES' }))
  expect((await screen.findByRole('alert')).textContent).toContain('Não foi possível desfazer.')
  expect(within(screen.getByRole('dialog')).getAllByRole('button').map(({ textContent }) => textContent)).toEqual(['Close'])
})

test('a failure that may pass can be tried again in the dialog', async () => {
  const { person } = open({ 'GET /jobs': pageOf(job), 'POST /jobs/12/undo': createReply(503, { code: 'UNAVAILABLE', message: '' }) })
  await person.click(await undoOf(/^Undo Status ok/))
  await person.click(screen.getByRole('button', { name: 'YES' }))
  expect((await screen.findByRole('alert')).textContent).toContain('Não foi possível desfazer.')
  expect(screen.getByRole('button', { name: 'YES' })).toHaveProperty('disabled', false)
})

test('an empty history says so', async () => {
  open({ 'GET /jobs': pageOf() })
  expect(await screen.findByText('Nenhuma importação ou alteração em massa nos últimos 90 dias.')).toBeTruthy()
})

test('all changes that match are printed, not only those of the page', async () => {
  open({ 'GET /jobs': pageOf(...Array.from({ length: 21 }, (_, n) => ({ ...job, id: n + 1 }))) })
  const rows = async () => within(await screen.findByRole('table', { name: 'Imports and bulk changes' })).getAllByRole('row').length - 1
  expect(await rows()).toBe(10)
  act(() => void window.dispatchEvent(new Event('beforeprint')))
  expect([await rows(), screen.queryByText('1 to 21 of 21') !== null]).toEqual([21, true])
  act(() => void window.dispatchEvent(new Event('afterprint')))
  expect([await rows(), screen.queryByText('1 to 21 of 21')]).toEqual([10, null])
})
