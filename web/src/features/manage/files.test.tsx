import { screen, waitFor, within } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { endSessionAndKeepData } from '@/api/session'
import type { Campaign, CsvUpdateResult } from '@/api/types'
import { MAX_WORKBOOK_BYTES } from '@/lib/workbookFile'
import { createReply, stubServer } from '@/testing/server'
import { recordSavedFiles } from '@/testing/savedFiles'
import { signInAs, LEADER, renderPage } from '@/testing/renderPage'
import { vinText } from '@/testing/vinText'
import { findCsvFileError } from './csvFile'
import CampaignManagementPage from './CampaignManagementPage'

const campaign: Campaign = {
  id: 5, name: 'Airbag', part: 'Airbag', description: 'Check', status: 'Ongoing', image: '', model_type: '', created_by_name: '1002', created_at: '2026-11-20T12:00:00Z', modified_at: '2026-11-20T12:00:00Z',
  total_vehicles: 40, total_inspected: 3, allClosed: false, progress_unknown: false,
}
const good: CsvUpdateResult = {
  vehicles: 2, updated: 1, errors: [], total_errors: 0, warnings: [], replaced_statuses: [], open_conflicts: 0,
  preview: [
    { line: 2, vin_number: 'HB20 1', campaign_name: 'Airbag', changes: [{ field: 'status', old: '', new: 'ok' }, { field: 'inspected', old: 'false', new: 'true' }], has_open_conflict: false },
    { line: 3, vin_number: 'HB20 2', campaign_name: 'Airbag', changes: [], has_open_conflict: false },
  ],
}
const bad: CsvUpdateResult = { ...good, errors: [{ line: 4, message: 'line 4 requires both Model Code and Serial Number' }, { line: 5, message: 'Vehicle not found: A 1.' }], total_errors: 2 }
const CHECK = 'POST /vehicles/csv/validate'
const APPLY = 'POST /vehicles/csv'
const csv = new File(['Model Code,Serial Number,Status\nHB20,1,ok'], 'list.csv', { type: 'text/csv' })
const sheet = new File(['PK'], 'list.xlsx')

const saved = recordSavedFiles()
afterEach(endSessionAndKeepData)

function open(answers: Parameters<typeof stubServer>[0] = {}) {
  signInAs(LEADER)
  const calls = stubServer({
    'GET /campaigns': { campaigns: [campaign], meta: { page_index: 0, total_count: 1, per_page: 10 } },
    'GET /yards': { yards: [], meta: { page_index: 0, total_count: 0, per_page: 10 } },
    ...answers,
  })
  return { person: renderPage(CampaignManagementPage, '/campaign-list/:id?', '/campaign-list'), sent: (name: string) => calls.filter((call) => call.name === name) }
}
async function editor(answers: Parameters<typeof stubServer>[0]) {
  const opened = open(answers)
  await opened.person.click(screen.getByRole('tab', { name: /^CSV Editor/ }))
  const tool = within(screen.getByRole('tabpanel', { name: 'CSV Editor' }))
  return { ...opened, tool, choose: (file: File) => opened.person.upload(tool.getByLabelText('CSV file'), file), execute: tool.getByRole('button', { name: 'Execute' }) }
}
/** Returns the text that a button refers to as its description. */
const reasonOf = (button: HTMLElement) => document.getElementById(button.getAttribute('aria-describedby') ?? '')?.textContent
const file = (name: string, answer: string) => new Response(answer, { headers: { 'content-disposition': `attachment; filename="${name}"` } })

test('all yards of a campaign are exported from its row', async () => {
  const { person } = open({ 'GET /campaigns/5/export_all_yards': file('Airbag yards.xlsx', 'PK') })
  await person.click(await screen.findByRole('button', { name: 'Export all yards of Airbag as XLSX' }))
  await waitFor(() => expect(saved).toEqual(['Airbag yards.xlsx']))
})

test('a failed export names the campaign', async () => {
  const { person } = open({ 'GET /campaigns/5/export_all_yards': createReply(404, { code: 'NOT_FOUND', message: 'no such campaign' }) })
  await person.click(await screen.findByRole('button', { name: 'Export all yards of Airbag as XLSX' }))
  expect(await screen.findByText('Airbag: Não encontrado. Talvez tenha sido excluído.')).toBeTruthy()
})

test('a workbook is converted to SQL under the name of the row', async () => {
  const { person, sent } = open({ 'POST /convert-to-sql': file('Airbag SQL Data.sql', 'BEGIN;') })
  await person.upload(await screen.findByLabelText('Convert XLSX to SQL for Airbag'), sheet)
  await waitFor(() => expect(saved).toEqual(['Airbag SQL Data.sql']))
  expect(sent('POST /convert-to-sql')[0]?.body).toMatch(/name="campaignName"\s+Airbag/)
})

test.each([
  ['the message', 'Sheet1 is missing', 'Airbag: Sheet1 is missing'],
  ['other words without one', '', 'Airbag: Falha na conversão.'],
])('a failed conversion shows %s', async (_, message, shown) => {
  const { person } = open({ 'POST /convert-to-sql': createReply(422, { code: 'X', message }) })
  await person.upload(await screen.findByLabelText('Convert XLSX to SQL for Airbag'), sheet)
  expect(await screen.findByText(shown)).toBeTruthy()
})

test('only CSV files of at most 5 MB are taken', () => {
  expect(findCsvFileError({ name: 'a.CSV', size: MAX_WORKBOOK_BYTES })).toBeNull()
  expect(findCsvFileError({ name: 'a.csv', size: MAX_WORKBOOK_BYTES + 1 })).toBe('csv.tooLarge')
  expect(findCsvFileError({ name: 'a.xlsx', size: 1 })).toBe('csv.onlyCsv')
})

test('a CSV file is previewed, executed, and the count is shown', async () => {
  const { person, tool, choose, execute, sent } = await editor({ [CHECK]: good, [APPLY]: good })
  expect(execute).toHaveProperty('disabled', true)
  expect(reasonOf(execute)).toBe('Escolha um arquivo antes.')
  await choose(csv)
  expect(await tool.findByText('Vehicles: 2 · To change: 1 · Errors: 0')).toBeTruthy()
  expect(tool.getAllByRole('row').map(({ textContent }) => textContent)).toEqual(['VIN NumberBefore → after', 'Airbag', 'HB20 1Status: — → okInspected: No → Yes', 'HB20 2No change'])
  expect(sent(APPLY)).toHaveLength(0)
  await person.click(execute)
  expect(await screen.findAllByText('1 vehicle updated.')).toHaveLength(2)
  expect(within(tool.getByRole('group', { name: 'Filter the vehicles' })).getAllByRole('button').map(({ textContent }) => textContent)).toEqual(['All', 'Updated: 1'])
  expect(tool.queryByText(vinText('HB20 2'))).toBeNull()
  expect(sent(APPLY)[0]?.body).toContain('HB20,1,ok')
  expect(execute).toHaveProperty('disabled', true)
})

test('lines with errors are listed and hold the execution, and Clear begins again', async () => {
  const { person, tool, choose, execute } = await editor({ [CHECK]: bad })
  await choose(csv)
  expect(await tool.findByText('line 4 requires both Model Code and Serial Number')).toBeTruthy()
  expect(tool.getByText('Line 5: Vehicle not found: A 1.')).toBeTruthy()
  expect(execute).toHaveProperty('disabled', true)
  expect(reasonOf(execute)).toBe('O arquivo precisa de uma linha válida e de nenhum erro.')
  await person.click(tool.getByRole('button', { name: 'Clear' }))
  expect(tool.queryByText('list.csv')).toBeNull()
  expect(tool.getByText('Escolha um arquivo para ver a prévia.')).toBeTruthy()
})

test('a file without a valid row holds the execution', async () => {
  const { tool, choose, execute } = await editor({ [CHECK]: { ...good, vehicles: 0, updated: 0, preview: [], warnings: [] } })
  await choose(csv)
  expect(await tool.findByText('Vehicles: 0 · To change: 0 · Errors: 0')).toBeTruthy()
  expect(execute).toHaveProperty('disabled', true)
})

test('a file that cannot be processed and an execution that fails say so', async () => {
  const { person, tool, choose, execute } = await editor({ [CHECK]: createReply(400, { code: 'BAD_REQUEST', message: 'no file' }) })
  await choose(csv)
  expect(await tool.findByText('Erro ao processar arquivo CSV. Verifique se o formato está correto. no file')).toBeTruthy()
  stubServer({ [CHECK]: good, [APPLY]: createReply(422, { code: 'CSV_REFUSED', message: 'nothing was changed.', details: bad.errors }) })
  await choose(csv)
  await waitFor(() => expect(execute).toHaveProperty('disabled', false))
  await person.click(execute)
  expect(await screen.findByText('Erro ao executar atualização de veículos')).toBeTruthy()
  expect(tool.getByText('Line 5: Vehicle not found: A 1.')).toBeTruthy()
})

test('another kind of file is refused with words', async () => {
  const { tool, sent } = await editor({ [CHECK]: good })
  const { default: userEvent } = await import('@testing-library/user-event')
  await userEvent.setup({ applyAccept: false }).upload(tool.getByLabelText('CSV file'), sheet)
  expect(tool.getByText('Apenas arquivos CSV (.csv) são suportados.')).toBeTruthy()
  expect(sent(CHECK)).toHaveLength(0)
})

function drop(...files: File[]) {
  const event = Object.assign(new Event('drop', { bubbles: true, cancelable: true }), { dataTransfer: { files, types: ['Files'] } })
  window.dispatchEvent(event)
}

test('a CSV file dropped anywhere on the page opens its editor with the preview', async () => {
  open({ [CHECK]: good })
  window.dispatchEvent(Object.assign(new Event('dragover', { cancelable: true }), { dataTransfer: { types: ['Files'] } }))
  expect((await screen.findByText('Solte o arquivo aqui')).parentElement?.textContent).toContain('.xlsx: importa como nova campanha')
  drop(csv)
  expect(await screen.findByText('Vehicles: 2 · To change: 1 · Errors: 0')).toBeTruthy()
  expect([window.location.search, screen.queryByText('Solte o arquivo aqui')]).toEqual(['?tool=csv', null])
})

test('a workbook dropped on the page goes to the import, and other files are refused', async () => {
  open()
  drop(new File(['x'], 'photo.png'))
  expect(await screen.findByText('Este arquivo não serve aqui. Solte um arquivo .csv ou .xlsx.')).toBeTruthy()
  drop(sheet)
  await waitFor(() => expect(window.location.pathname).toBe('/import'))
})
