import { screen, waitFor, within } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { endSessionAndKeepData } from '@/api/session'
import { formatCount } from '@/lib/format'
import { createReply, stubServer } from '@/testing/server'
import { signInAs, LEADER, renderPage } from '@/testing/renderPage'
import CampaignManagementPage from './CampaignManagementPage'

const outcome = {
  matched: 3, updated: 1, skipped: [{ vin: 'HB20 3', code: 'SAME_STATUS', reason: 'already has this status' }], not_found: ['HB20 4', 'HB20 5'],
  preview: [{ line: 1, vin_number: 'HB20 1', campaign_name: 'Airbag', changes: [{ field: 'status', old: 'ng', new: 'ok' }] }],
}

afterEach(endSessionAndKeepData)

function open(answers: Parameters<typeof stubServer>[0], address = '/campaign-list') {
  signInAs(LEADER)
  stubServer({
    'GET /campaigns': { campaigns: [], meta: { page_index: 0, total_count: 0, per_page: 10 } },
    'GET /yards': { yards: [], meta: { page_index: 0, total_count: 0, per_page: 10 } },
    ...answers,
  })
  return renderPage(CampaignManagementPage, '/campaign-list/:id?', address)
}

/** Returns whether `first` comes before `second` on the page. */
const isBefore = (first: Element, second: Element) => (first.compareDocumentPosition(second) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0

/** Opens the Status Manager with a list of vehicles and a status, so that it shows the preview. */
async function preview(answers: Parameters<typeof stubServer>[0], summary: string | RegExp = '1 vehicle will be set to ok, 1 already has this status, 2 not found.') {
  const person = open(answers, '/campaign-list?tool=status')
  const tool = within(screen.getByRole('tabpanel', { name: 'Status Manager' }))
  await person.selectOptions(tool.getByLabelText('Status'), 'ok')
  await person.click(tool.getByLabelText(/^VIN list/))
  await person.paste('HB20 1\nHB20 3\nHB20 4\nHB20 5')
  const sentence = await tool.findByText(summary)
  return { person, tool, sentence, execute: tool.getByRole('button', { name: 'Execute' }) }
}

test('Execute follows the summary of the preview, before the vehicles', async () => {
  const { tool, sentence, execute } = await preview({ 'POST /vehicles/bulk/status': outcome })
  expect(isBefore(sentence, execute)).toBe(true)
  expect(isBefore(execute, tool.getByRole('table', { name: 'Changes' }))).toBe(true)
})

test('vehicles that stay as they are, have folds in the preview: those not found are open and first', async () => {
  const { tool } = await preview({ 'POST /vehicles/bulk/status': outcome })
  const folds = tool.getAllByRole('group').filter((group): group is HTMLDetailsElement => group instanceof HTMLDetailsElement)
  expect(folds.map((fold) => [fold.open, fold.querySelector('summary')?.textContent])).toEqual([[true, 'Not found: 2'], [false, 'Skipped: 1']])
  expect(folds.map((fold) => [...fold.querySelectorAll('tbody tr')].map(({ textContent }) => textContent))).toEqual([
    ['HB20 4not found', 'HB20 5not found'], ['HB20 3already has this status'],
  ])
  expect(tool.queryByRole('button', { name: 'All' })).toBeNull()
})

test('the reason of a failed execution stands beside Execute, before the vehicles', async () => {
  const { person, tool, execute } = await preview({ 'POST /vehicles/bulk/status': ({ json }) => (json.dry_run ? outcome : createReply(503, { code: 'UNAVAILABLE', message: '' })) })
  await person.click(execute)
  const alert = await tool.findByText(/^Erro ao executar atualização de status\./)
  expect(isBefore(execute, alert)).toBe(true)
  expect(isBefore(alert, tool.getByRole('table', { name: 'Changes' }))).toBe(true)
})

test('a campaign list without a match offers to show all campaigns', async () => {
  const person = open({}, '/campaign-list?search=nobody&status=Closed&page=2')
  await person.click(await screen.findByRole('button', { name: 'Show all' }))
  await waitFor(() => expect(window.location.search).toBe(''))
  expect(screen.getByRole('searchbox')).toHaveProperty('value', '')
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Show all' })).toBeNull())
})

test('the preview names each saved status that the change overwrites, and open conflicts', async () => {
  const [first] = outcome.preview
  const { tool, execute } = await preview({
    'POST /vehicles/bulk/status': {
      ...outcome, preview: [{ ...first, has_open_conflict: true }], replaced_statuses: [{ status: 'ng', vehicles: 1_200 }, { status: 'Repair', vehicles: 1 }], open_conflicts: 2,
    },
  })
  const list = tool.getByRole('list')
  expect(within(list).getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([`ng${formatCount(1_200)}`, 'Repair1'])
  expect(tool.getByText('Saved status that will be overwritten:').nextElementSibling).toBe(list)
  expect(isBefore(list, execute)).toBe(true)
  expect(tool.getByText('2 of the vehicles have an open conflict.')).toBeTruthy()
  expect(tool.getByRole('link', { name: 'Conflicts' }).getAttribute('href')).toBe('/conflicts')
  expect(within(tool.getByRole('table', { name: 'Changes' })).getByText('Open conflict')).toBeTruthy()
})

test('a change that overwrites nothing has no warning', async () => {
  const { tool } = await preview({ 'POST /vehicles/bulk/status': { ...outcome, replaced_statuses: [], open_conflicts: 0 } })
  expect(tool.queryByText(/will be overwritten|open conflict/i)).toBeNull()
})

test('Show all lists every vehicle of the change', async () => {
  const rows = (count: number) => Array.from({ length: count }, (_, at) => ({ ...outcome.preview[0], line: at + 1, vin_number: `HB20 ${at}` }))
  const { person, tool } = await preview({
    'POST /vehicles/bulk/status': ({ json }) => ({ ...outcome, preview: rows(json.preview_limit === 1000 ? 27 : 20), updated: json.dry_run ? 27 : 0 }),
  }, '27 vehicles will be set to ok, 1 already has this status, 2 not found.')
  const listed = () => within(tool.getByRole('table', { name: 'Changes' })).getAllByRole('row').length - 2
  expect(listed()).toBe(20)
  await person.click(tool.getByRole('button', { name: 'Show all' }))
  await waitFor(() => expect(listed()).toBe(27))
  expect(tool.queryByRole('button', { name: 'Show all' })).toBeNull()
  expect(document.activeElement?.textContent).toBe('Mostrando 27 de 27 veículos.')
})

test('another status shows the short list of its own change, never the list of the change before', async () => {
  const rows = (count: number, status: unknown) => Array.from({ length: count }, (_, at) => ({ ...outcome.preview[0], line: at + 1, vin_number: `${String(status)} ${at}` }))
  const { person, tool } = await preview({
    'POST /vehicles/bulk/status': ({ json }) => ({ ...outcome, preview: rows(json.preview_limit === 1000 ? 27 : 20, json.status), updated: 27 }),
  }, '27 vehicles will be set to ok, 1 already has this status, 2 not found.')
  await person.click(tool.getByRole('button', { name: 'Show all' }))
  const rowsOf = (status: string) => within(tool.getByRole('table', { name: 'Changes' })).getAllByRole('row').filter(({ textContent }) => textContent?.startsWith(`${status} `)).length
  await waitFor(() => expect(rowsOf('ok')).toBe(27))
  await person.selectOptions(tool.getByLabelText('Status'), 'ng')
  await waitFor(() => expect([rowsOf('ok'), rowsOf('ng')]).toEqual([0, 20]))
})

test('of more than a thousand vehicles, the preview offers to list the first thousand', async () => {
  const { tool } = await preview({ 'POST /vehicles/bulk/status': { ...outcome, updated: 4_000 } }, /^4.000 vehicles will be set to ok, 1 already has this status, 2 not found/)
  expect(tool.getByRole('button', { name: /^Show 1.000$/ })).toBeTruthy()
})
