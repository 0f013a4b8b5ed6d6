import { screen, waitFor, within } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { endSessionAndKeepData, type SessionUser } from '@/api/session'
import type { Campaign, Job, Vehicle } from '@/api/types'
import { createReply, stubServer } from '@/testing/server'
import { createFake, expectPresent } from '@/testing/createFake'
import { signInAs, LEADER, renderPage, SUPERVISOR } from '@/testing/renderPage'
import { vinText } from '@/testing/vinText'
import CampaignManagementPage from './CampaignManagementPage'

const campaign: Campaign = {
  id: 5, name: 'Airbag', part: 'Airbag', description: 'Check', status: 'Ongoing', image: '', model_type: '', created_by_name: '1002', created_at: '2026-11-20T12:00:00Z', modified_at: '2026-11-20T12:00:00Z',
  total_vehicles: 40, total_inspected: 3, allClosed: false, progress_unknown: false,
}
const vehicle: Vehicle = {
  id: 7, vin_number: 'HB20 000123', model_code: 'HB20', serial_number: '000123', campaign_id: 5, campaign_name: 'Airbag', status: 'ok', inspected: true,
  admin_notes: 'from QC', operator_notes: '', parking_space: 'A-2', id_yard: 2, yard_group: 'A', version: 4, open_conflicts: 0,
}
const outcome = { matched: 3, updated: 2, skipped: [{ vin: 'HB20 3', code: 'SAME_STATUS', reason: 'already has this status' }], not_found: ['HB20 4'], preview: [] }
const page = { campaigns: [campaign], meta: { page_index: 0, total_count: 1, per_page: 10 } }

afterEach(endSessionAndKeepData)

function open(answers: Parameters<typeof stubServer>[0] = {}, { user = LEADER, address = '/campaign-list' }: { user?: SessionUser; address?: string } = {}) {
  signInAs(user)
  const calls = stubServer({
    'GET /campaigns': page,
    'GET /yards': { yards: [{ id: 2, name: 'A', vehicles_count: 40, vehicles_inspected_count: 3 }], meta: { page_index: 0, total_count: 1, per_page: 10 } },
    'GET /vehicles/campaign/5': { vehicles: [vehicle], meta: { page_index: 0, total_count: 1, per_page: 10, campaign_name: 'Airbag' } },
    ...answers,
  })
  return { person: renderPage(CampaignManagementPage, '/campaign-list/:id?', address), calls, sent: (name: string) => calls.filter((call) => call.name === name).map(({ body }) => body) }
}
async function unfold(person: ReturnType<typeof renderPage>, title: string) {
  await person.click(screen.getByRole('tab', { name: new RegExp(`^${title}`) }))
  return within(screen.getByRole('tabpanel', { name: title }))
}
/** Returns the text that a button refers to as its description. */
const reasonOf = (button: HTMLElement) => document.getElementById(button.getAttribute('aria-describedby') ?? '')?.textContent
/** Presses an action in the campaign's row. */
const act = async (person: ReturnType<typeof renderPage>, action: string) => person.click(await screen.findByRole('button', { name: action }))

test('a pasted list is previewed in words, executed, and the counts are shown', async () => {
  const { person, sent } = open({ 'POST /vehicles/bulk/status': outcome })
  const tool = await unfold(person, 'Status Manager')
  const execute = tool.getByRole('button', { name: 'Execute' })
  await person.click(tool.getByLabelText(/^VIN list/))
  await person.paste('HB20 1\nHB20 2\nHB20 3\nHB20 4')
  expect(execute).toHaveProperty('disabled', true)
  expect(reasonOf(execute)).toBe('Escolha um status antes.')
  await person.selectOptions(tool.getByLabelText('Status'), 'ok')
  expect(reasonOf(execute)).toBeUndefined()
  expect(await tool.findByText('2 vehicles will be set to ok, 1 already has this status, 1 not found.')).toBeTruthy()
  expect(sent('POST /vehicles/bulk/status')).toEqual([{ vins: ['HB20 1', 'HB20 2', 'HB20 3', 'HB20 4'], action: 'insert', status: 'ok', yard: null, campaign_id: null, dry_run: true }])
  await person.click(execute)
  expect((await screen.findAllByText('2 vehicles updated, 1 skipped, 1 not found.')).length).toBeGreaterThan(0)
  expect(screen.getByText('Vehicles already having the status.')).toBeTruthy()
  expect(screen.getByText('Some VINs not found or without status.')).toBeTruthy()
  expect(sent('POST /vehicles/bulk/status').at(-1)).not.toHaveProperty('dry_run')
})

const job: Job = {
  id: 12, kind: 'status', detail: 'ok', campaigns: [{ id: 5, name: 'Airbag', deleted: false }], total_campaigns: 1,
  created_by_name: LEADER.hmc, created_at: '2026-11-20T15:00:00Z', vehicles: 2, undone_by_name: null, undone_at: null, restored: 0, hindrance: null,
}

test('the result is a table of vehicles that is filtered, and is undone at once', async () => {
  const preview = [{ line: 1, vin_number: 'HB20 1', campaign_name: 'Airbag', changes: [{ field: 'status', old: 'ng', new: 'ok' }] }]
  const jobs: Job[] = []
  const { person, sent } = open({
    'POST /vehicles/bulk/status': ({ json }) => {
      if (!json.dry_run) jobs.push(job)
      return { ...outcome, preview: json.dry_run ? preview : [] }
    },
    'GET /jobs': () => ({ jobs, meta: { page_index: 0, per_page: 200, total_count: jobs.length } }),
    'POST /jobs/12/undo': { undone: true, restored: 2, left: [], total_left: 0, deleted: 0 },
  })
  const tool = await unfold(person, 'Status Manager')
  await person.selectOptions(tool.getByLabelText('Status'), 'ok')
  await person.click(tool.getByLabelText(/^VIN list/))
  await person.paste('HB20 1\nHB20 2\nHB20 3\nHB20 4')
  await tool.findByText(vinText('HB20 1'))
  await person.click(tool.getByRole('button', { name: 'Execute' }))
  const result = within(await tool.findByRole('table', { name: 'Vehicles' }))
  const rows = () => result.getAllByRole('row').slice(1).map(({ textContent }) => textContent)
  expect(rows()).toEqual(['Airbag', 'HB20 1Status: ng → ok', 'No change', 'HB20 4not found', 'HB20 3already has this status'])
  expect(tool.getByText('Mostrando 3 de 4 veículos.')).toBeTruthy()
  await person.click(tool.getByRole('button', { name: 'Not found: 1' }))
  expect(rows()).toEqual(['HB20 4not found'])
  await person.click(await tool.findByRole('button', { name: /^Undo Status ok/ }))
  await person.click(screen.getByRole('button', { name: 'YES' }))
  expect(await screen.findByText('2 veículos restaurados.')).toBeTruthy()
  expect(sent('POST /jobs/12/undo')).toHaveLength(1)
})

test('the list comes first, each tool says what it is for, and the open one is in the address', async () => {
  const { person } = open()
  expect(screen.getAllByRole('tab')[0]?.textContent).toBe('Campaigns')
  expect(screen.getAllByRole('tab')[0]).toHaveProperty('title', 'Buscar, abrir, exportar e excluir campanhas.')
  expect(screen.getByRole('tab', { selected: true }).textContent).toContain('Campaigns')
  const tool = await unfold(person, 'Status Manager')
  await person.type(tool.getByLabelText(/^VIN list/), 'HB20 1')
  expect(window.location.search).toBe('?tool=status')
  await person.keyboard('{Escape}')
  screen.getByRole('tab', { selected: true }).focus()
  await person.keyboard('{ArrowRight}')
  expect(screen.getByRole('tabpanel', { name: 'Parking Space Manager' })).toBeTruthy()
  await unfold(person, 'Status Manager')
  expect(tool.getByLabelText(/^VIN list/)).toHaveProperty('value', 'HB20 1')
  await screen.findByRole('option', { name: 'Yard A' })
  await person.selectOptions(screen.getByLabelText('Yard'), 'Yard A')
  expect([window.location.pathname, window.location.search]).toEqual(['/campaign-list/2', '?tool=status'])
  expect(screen.getByLabelText(/^VIN list/)).toHaveProperty('value', 'HB20 1')
  await unfold(person, 'Campaigns')
  expect([window.location.search, await screen.findByRole('table')]).toEqual(['', expect.anything()])
})

test('campaigns are filtered by status', async () => {
  const { person, calls } = open()
  await person.click(screen.getByRole('button', { name: 'Pending Review' }))
  await waitFor(() => expect(calls.some(({ name, query }) => name === 'GET /campaigns' && query.get('status') === 'Pending Review')).toBe(true))
  expect(window.location.search).toBe('?status=Pending+Review')
})

test('a yard in the address narrows tools and list', async () => {
  const { person, sent, calls } = open({ 'POST /vehicles/bulk/status': outcome }, { address: '/campaign-list/2' })
  const tool = await unfold(person, 'Status Manager')
  await person.click(tool.getByLabelText('Remove'))
  await person.click(tool.getByLabelText(/^VIN list/))
  await person.paste('HB20 1')
  await waitFor(() => expect(sent('POST /vehicles/bulk/status')).toEqual([{ vins: ['HB20 1'], action: 'remove', yard: 2, campaign_id: null, dry_run: true }]))
  expect(calls.some(({ name, query }) => name === 'GET /campaigns' && query.get('yard') === '2')).toBe(true)
})

test('a failed execution says so and changes nothing on the screen', async () => {
  const { person } = open({ 'POST /vehicles/bulk/status': ({ json }) => (json.dry_run ? outcome : createReply(503, { code: 'UNAVAILABLE', message: '' })) })
  const tool = await unfold(person, 'Status Manager')
  await person.selectOptions(tool.getByLabelText('Status'), 'ng')
  await person.click(tool.getByLabelText(/^VIN list/))
  await person.paste('HB20 1')
  await person.click(tool.getByRole('button', { name: 'Execute' }))
  expect(await screen.findByText('Erro ao executar atualização de status')).toBeTruthy()
  expect(tool.getByLabelText(/^VIN list/)).toHaveProperty('value', 'HB20 1')
})

test('lines without a parking space hold the execution', async () => {
  const { person, sent } = open({ 'POST /vehicles/bulk/parking-space': { matched: 1, updated: 1, skipped: [], not_found: [], preview: [] } })
  const tool = await unfold(person, 'Parking Space Manager')
  const list = tool.getByLabelText(/^VIN and parking space list/)
  await person.click(list)
  await person.paste('HB20 1\nHB20 2 B-4')
  expect(tool.getByText('Line 1: Parking space not defined')).toBeTruthy()
  expect(tool.getByRole('button', { name: 'Execute' })).toHaveProperty('disabled', true)
  await person.clear(list)
  await person.paste('HB20 2 B-4')
  expect(await tool.findByText('1 vehicle will change parking space.')).toBeTruthy()
  expect(sent('POST /vehicles/bulk/parking-space')).toEqual([{ rows: [{ vin: 'HB20 2', parking_space: 'B-4' }], yard: null, campaign_id: null, dry_run: true }])
})

test('a campaign is deleted only after YES', async () => {
  const { person, sent } = open({ 'GET /campaigns/5': campaign, 'DELETE /campaigns/5': { success: true } })
  await act(person, 'Delete Airbag')
  await screen.findByText(/^Já inspecionados/)
  expect(screen.getByRole('dialog').textContent).toContain('Os veículos (40) também serão excluídos. Esta ação não pode ser desfeita.Já inspecionados: 3 de 40. Essas inspeções serão perdidas.')
  await person.click(screen.getByRole('button', { name: 'NO' }))
  expect(sent('DELETE /campaigns/5')).toHaveLength(0)
  await act(person, 'Delete Airbag')
  await screen.findByText(/^Já inspecionados/)
  await person.click(screen.getByRole('button', { name: 'YES' }))
  expect(await screen.findByText('Campanha deletada com sucesso "Airbag".')).toBeTruthy()
})

test('a card keeps the export and has the other actions in a menu', async () => {
  vi.spyOn(window, 'matchMedia').mockReturnValue(createFake<MediaQueryList>({ matches: false, addEventListener: () => undefined, removeEventListener: () => undefined }))
  const { person, sent } = open({ 'GET /campaigns/5': campaign, 'DELETE /campaigns/5': { success: true } })
  const card = within(expectPresent((await screen.findByRole('button', { name: 'Export all yards of Airbag as XLSX' })).closest('li')))
  expect(card.getAllByRole('button').map((button) => button.getAttribute('aria-label'))).toEqual(['Export all yards of Airbag as XLSX', 'Convert to SQL or delete Airbag'])
  await act(person, 'Convert to SQL or delete Airbag')
  expect(screen.getAllByRole('menuitem').map((item) => item.textContent)).toEqual(['Convert XLSX to SQL', 'Delete'])
  await person.click(screen.getByRole('menuitem', { name: 'Delete Airbag' }))
  await screen.findByText(/^Já inspecionados/)
  await person.click(screen.getByRole('button', { name: 'YES' }))
  await waitFor(() => expect(sent('DELETE /campaigns/5')).toHaveLength(1))
})

async function edit(user: SessionUser, answers: Parameters<typeof stubServer>[0]) {
  const opened = open(answers, { user })
  const tool = await unfold(opened.person, 'Manual Vehicle Editor')
  await tool.findByRole('option', { name: 'Airbag' })
  await opened.person.selectOptions(tool.getByLabelText('Campaign'), 'Airbag')
  await opened.person.click(await tool.findByRole('button', { name: 'Edit HB20 000123' }))
  return opened
}

test('a team leader may not touch VIN, parking space and supervisor notes, and follows the status rules', async () => {
  await edit(LEADER, {})
  expect(['VIN Number', 'Parking Space', 'QC / Supervisor Notes'].map((label) => screen.getByLabelText(label).hasAttribute('readonly'))).toEqual([true, true, true])
  expect(screen.getByRole('option', { name: 'ng' })).toHaveProperty('disabled', true)
  expect(screen.getByRole('option', { name: 'Repair' })).toHaveProperty('disabled', false)
})

test('what somebody else saved first is shown, and saving again keeps both changes', async () => {
  const now = { ...vehicle, operator_notes: 'theirs', version: 5 }
  const { person, calls } = await edit(SUPERVISOR, {
    'PUT /vehicles/7': ({ headers }) => (headers.get('if-match') === '"5"' ? { ...now, parking_space: 'B-9' } : createReply(409, { code: 'STALE_VERSION', message: '', details: [now] })),
  })
  await person.clear(screen.getByLabelText('Parking Space'))
  await person.type(screen.getByLabelText('Parking Space'), 'B-9')
  await person.click(screen.getByRole('button', { name: 'Save vehicle' }))
  expect(await screen.findByText(/Outra pessoa salvou este veículo antes/)).toBeTruthy()
  await person.click(screen.getByRole('button', { name: 'Save vehicle' }))
  expect(await screen.findByText('Veículo HB20 000123 atualizado.')).toBeTruthy()
  expect(calls.filter(({ name }) => name === 'PUT /vehicles/7').at(-1)?.body).toMatchObject({ parking_space: 'B-9', operator_notes: 'theirs' })
})

test('the preview shows old and new values when the answer carries them', async () => {
  const preview = [{ line: 1, vin_number: 'HB20 1', campaign_name: 'Airbag', changes: [{ field: 'status', old: 'ng', new: 'ok' }] }]
  const { person } = open({ 'POST /vehicles/bulk/status': { ...outcome, preview } })
  const tool = await unfold(person, 'Status Manager')
  await person.selectOptions(tool.getByLabelText('Status'), 'ok')
  await person.click(tool.getByLabelText(/^VIN list/))
  await person.paste('HB20 1\nHB20 2')
  const changes = within(await tool.findByRole('table', { name: 'Changes' }))
  expect(changes.getByText(vinText('HB20 1')).closest('tr')?.textContent).toBe('HB20 1Status: ng → ok')
  expect(tool.getByText('Mostrando 1 de 2 veículos.')).toBeTruthy()
})

test('preview and result name each campaign once, above its vehicles', async () => {
  const changes = [{ field: 'status', old: 'ng', new: 'ok' }]
  const [first, second, third] = [['HB20 1', 'Airbag'], ['HB20 2', 'Brakes'], ['HB20 5', 'Airbag']].map(([vin_number = '', campaign_name = ''], line) => ({ line, vin_number, campaign_name, changes }))
  const { person } = open({ 'POST /vehicles/bulk/status': { ...outcome, updated: 3, preview: [first, second, third] } })
  const tool = await unfold(person, 'Status Manager')
  await person.selectOptions(tool.getByLabelText('Status'), 'ok')
  await person.click(tool.getByLabelText(/^VIN list/))
  await person.paste('HB20 1\nHB20 2\nHB20 3\nHB20 4\nHB20 5')
  const rowsOf = (region: HTMLElement) => within(region).getAllByRole('row').slice(1).map(({ textContent }) => textContent)
  const grouped = ['Airbag', 'HB20 1Status: ng → ok', 'HB20 5Status: ng → ok', 'Brakes', 'HB20 2Status: ng → ok']
  expect(rowsOf(await tool.findByRole('table', { name: 'Changes' }))).toEqual(grouped)
  expect(tool.getAllByRole('rowheader').map(({ title }) => title)).toEqual(['Airbag', 'Brakes'])
  await person.click(tool.getByRole('button', { name: 'Execute' }))
  await tool.findByRole('button', { name: 'Updated: 3' })
  expect(rowsOf(tool.getByRole('table', { name: 'Vehicles' }))).toEqual([...grouped, 'No change', expect.stringContaining('HB20 4'), expect.stringContaining('HB20 3')])
})
