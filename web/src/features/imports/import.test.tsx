import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, test } from 'vitest'
import { endSessionAndKeepData } from '@/api/session'
import type { Job } from '@/api/types'
import { createReply, stubServer } from '@/testing/server'
import { recordSavedFiles } from '@/testing/savedFiles'
import { signInAs, LEADER, renderPage } from '@/testing/renderPage'
import ImportPage from './ImportPage'

const ID = '0197f0c4-0000-7000-8000-000000000000'
const UPLOAD = 'POST /documents/upload'
const workbook = new File(['PK'], 'cars.xlsx')
const campaign = { id: 5, name: 'Airbag', total_vehicles: 40 }

const saved = recordSavedFiles()
afterEach(endSessionAndKeepData)

/** An upload whose response the test sends later. */
function pending() {
  let answer: (response: Response) => void = () => undefined
  const answered = new Promise<Response>((resolve) => { answer = resolve })
  return { answered, answer }
}

async function sending(answers: Parameters<typeof stubServer>[0]) {
  signInAs(LEADER)
  const calls = stubServer(answers)
  const person = renderPage(ImportPage, '/import', '/import')
  await person.upload(screen.getByLabelText('Campaign file'), workbook)
  await person.click(screen.getByRole('button', { name: 'Upload campaign' }))
  return { person, calls, upload: () => calls.find(({ name }) => name === UPLOAD)?.headers.get('x-upload-id') }
}
const cancels = (calls: { name: string }[]) => calls.filter(({ name }) => name.startsWith('DELETE /documents/uploads/')).map(({ name }) => name)

test('the upload button says why it is disabled, also to screen readers', async () => {
  signInAs(LEADER)
  stubServer({ [UPLOAD]: createReply(400, { code: 'BAD_REQUEST', message: 'no', ErrorCode: 55 }) })
  renderPage(ImportPage, '/import', '/import')
  const person = userEvent.setup({ applyAccept: false })
  const state = () => {
    const button = screen.getByRole('button', { name: 'Upload campaign' })
    return [button.hasAttribute('disabled'), document.getElementById(button.getAttribute('aria-describedby') ?? '')?.textContent]
  }
  expect(state()).toEqual([true, 'Escolha um arquivo .xlsx antes.'])
  await person.upload(screen.getByLabelText('Campaign file'), new File(['a'], 'cars.csv'))
  expect(state()).toEqual([true, 'Este arquivo não pode ser enviado. Escolha outro arquivo .xlsx.'])
  await person.upload(screen.getByLabelText('Campaign file'), workbook)
  expect(state()).toEqual([false, undefined])
  await person.click(screen.getByRole('button', { name: 'Upload campaign' }))
  await waitFor(() => expect(state()).toEqual([true, 'Corrija o arquivo e escolha-o novamente.']))
})

test('a running import is cancelled, says that nothing was kept, and may be sent again', async () => {
  const { answered, answer } = pending()
  const replies: Parameters<typeof stubServer>[0] = { [UPLOAD]: () => answered }
  const { person, calls, upload } = await sending(replies)
  await waitFor(() => expect(upload()).toBeTruthy())
  replies[`DELETE /documents/uploads/${upload()}`] = () => {
    answer(createReply(409, { code: 'CANCELLED', message: 'Import cancelled. Nothing was imported.' }))
    return createReply(204)
  }
  await person.click(await screen.findByRole('button', { name: 'Cancel import' }))
  expect(await screen.findByText('Importação cancelada. Nada foi importado.')).toBeTruthy()
  expect(cancels(calls)).toEqual([`DELETE /documents/uploads/${upload()}`])
  expect(screen.getByRole('button', { name: 'Upload campaign' })).toHaveProperty('disabled', false)
})

test('what became a campaign before it could be cancelled is shown as one', async () => {
  const { answered, answer } = pending()
  const replies: Parameters<typeof stubServer>[0] = { [UPLOAD]: () => answered }
  const { person, upload } = await sending(replies)
  await waitFor(() => expect(upload()).toBeTruthy())
  replies[`DELETE /documents/uploads/${upload()}`] = () => {
    answer(createReply(201, { message: '', campaign }))
    return createReply(409, { code: 'TOO_LATE', message: 'The import has already finished. To remove its campaign, undo the import in History.' })
  }
  await person.click(await screen.findByRole('button', { name: 'Cancel import' }))
  expect((await screen.findByRole('link', { name: 'Open campaign' })).getAttribute('href')).toBe('/campaign/5')
})

test('a cancel that fails says so while the import goes on', async () => {
  const { answered, answer } = pending()
  const { person, upload } = await sending({ [UPLOAD]: () => answered })
  await waitFor(() => expect(upload()).toBeTruthy())
  stubServer({ [`DELETE /documents/uploads/${upload()}`]: createReply(503, { code: 'UNAVAILABLE', message: '' }) })
  await person.click(await screen.findByRole('button', { name: 'Cancel import' }))
  expect(await screen.findByText(/^Não foi possível cancelar a importação\./)).toBeTruthy()
  expect(screen.getByRole('button', { name: 'Cancel import' })).toBeTruthy()
  answer(createReply(503, { code: 'UNAVAILABLE', message: '' }))
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Cancel import' })).toBeNull())
})

test('a refused sheet is handed back with its errors', async () => {
  const refused = { Message: 'no', ErrorCode: 57, total_errors: 1, details: [{ row: 3, column: 'Serial Number', value: '', message: 'Serial Number is missing.' }], rejected_id: ID }
  const file = new Response('PK', { headers: { 'content-disposition': 'attachment; filename="cars-errors.xlsx"' } })
  const { person } = await sending({ [UPLOAD]: createReply(422, refused), [`GET /documents/rejected/${ID}`]: file })
  expect(await screen.findByText(/A coluna Errors é ignorada/)).toBeTruthy()
  await person.click(screen.getByRole('button', { name: 'Download the spreadsheet with errors marked' }))
  await waitFor(() => expect(saved).toEqual(['cars-errors.xlsx']))
})

test('a sheet that is gone by now says so, and other refusals offer none', async () => {
  const refused = { Message: 'no', ErrorCode: 57, total_errors: 1, details: [{ row: 3, column: 'A', value: '', message: 'no' }], rejected_id: ID }
  const { person } = await sending({ [UPLOAD]: createReply(422, refused), [`GET /documents/rejected/${ID}`]: createReply(404, { code: 'NO_UPLOAD', message: 'The spreadsheet with marked errors is not available. Such files are deleted after three days. Import the original file again.' }) })
  await person.click(await screen.findByRole('button', { name: 'Download the spreadsheet with errors marked' }))
  expect(await screen.findByText('Não foi possível baixar a planilha. Não encontrado. Talvez tenha sido excluído.')).toBeTruthy()
  stubServer({ [UPLOAD]: createReply(422, { Message: 'no', ErrorCode: 55, total_errors: 0, details: [], rejected_id: null }) })
  await person.upload(screen.getByLabelText('Campaign file'), workbook)
  await person.click(screen.getByRole('button', { name: 'Upload campaign' }))
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Download the spreadsheet with errors marked' })).toBeNull())
})

test('the seven columns stand beside the drop zone before the first try, and the last five imports below', async () => {
  signInAs(LEADER)
  const job = (id: number, kind: Job['kind'], deleted = false): Job => ({
    id, kind, detail: `sheet-${id}.xlsx`, campaigns: [{ id, name: `Campaign ${id}`, deleted }], total_campaigns: 1, created_by_name: '1002', created_at: '2026-11-20T15:00:00Z', vehicles: id,
    undone_by_name: null, undone_at: null, restored: 0, hindrance: deleted ? 'undone' : null,
  })
  const jobs = [job(9, 'csv'), job(8, 'import', true), ...[7, 6, 5, 4, 3].map((id) => job(id, 'import'))]
  stubServer({ 'GET /jobs': { jobs, meta: { page_index: 0, per_page: 200, total_count: jobs.length } } })
  renderPage(ImportPage, '/import', '/import')
  const columns = within(screen.getByRole('table', { name: 'The seven columns' }))
  expect(columns.getAllByRole('rowheader').map(({ textContent }) => textContent)).toEqual(['Campaign', 'Part', 'Description', 'Model Type', 'Model Code', 'Serial Number', 'Parking Space'])
  const last = within(screen.getByRole('region', { name: 'Last imports' }))
  expect((await last.findAllByRole('listitem')).map(({ textContent }) => textContent?.slice(0, 10))).toEqual(['Campaign 8', 'Campaign 7', 'Campaign 6', 'Campaign 5', 'Campaign 4'])
  expect([last.queryByRole('link', { name: 'Campaign 8' }), last.getByRole('link', { name: 'Campaign 7' }).getAttribute('href')]).toEqual([null, '/campaign/7'])
  expect(last.getByText('· desfeita')).toBeTruthy()
})

test('a file dropped anywhere on the page is chosen', async () => {
  signInAs(LEADER)
  stubServer({})
  renderPage(ImportPage, '/import', '/import')
  window.dispatchEvent(Object.assign(new Event('drop', { cancelable: true }), { dataTransfer: { files: [workbook], types: ['Files'] } }))
  expect(await screen.findByText('cars.xlsx')).toBeTruthy()
  expect(screen.getByRole('button', { name: 'Upload campaign' })).toHaveProperty('disabled', false)
})
