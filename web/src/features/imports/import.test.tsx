import { screen, waitFor } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { endSession } from '@/api/session'
import { reply, serve } from '@/testing/server'
import { savedFiles } from '@/testing/saved'
import { asUser, LEADER, show } from '@/testing/show'
import ImportPage from './ImportPage'

const ID = '0197f0c4-0000-7000-8000-000000000000'
const UPLOAD = 'POST /documents/upload'
const workbook = new File(['PK'], 'cars.xlsx')
const campaign = { id: 5, name: 'Airbag', total_vehicles: 40 }

const saved = savedFiles()
afterEach(endSession)

/** An upload that is answered when the test says so. */
function pending() {
  let answer: (response: Response) => void = () => undefined
  const answered = new Promise<Response>((resolve) => { answer = resolve })
  return { answered, answer }
}

async function sending(answers: Parameters<typeof serve>[0]) {
  asUser(LEADER)
  const calls = serve(answers)
  const person = show(ImportPage, '/import', '/import')
  await person.upload(screen.getByLabelText('Campaign file'), workbook)
  await person.click(screen.getByRole('button', { name: 'Upload campaign' }))
  return { person, calls, upload: () => calls.find(({ name }) => name === UPLOAD)?.headers.get('x-upload-id') }
}
const cancels = (calls: { name: string }[]) => calls.filter(({ name }) => name.startsWith('DELETE /documents/uploads/')).map(({ name }) => name)

test('a running import is cancelled, says that nothing was kept, and may be sent again', async () => {
  const { answered, answer } = pending()
  const replies: Parameters<typeof serve>[0] = { [UPLOAD]: () => answered }
  const { person, calls, upload } = await sending(replies)
  await waitFor(() => expect(upload()).toBeTruthy())
  replies[`DELETE /documents/uploads/${upload()}`] = () => {
    answer(reply(409, { code: 'CANCELLED', message: 'the import was cancelled; nothing of it was kept' }))
    return reply(204)
  }
  await person.click(await screen.findByRole('button', { name: 'Cancel import' }))
  expect(await screen.findByText('Importação cancelada. Nada foi guardado.')).toBeTruthy()
  expect(cancels(calls)).toEqual([`DELETE /documents/uploads/${upload()}`])
  expect(screen.getByRole('button', { name: 'Upload campaign' })).toHaveProperty('disabled', false)
})

test('what became a campaign before it could be cancelled is shown as one', async () => {
  const { answered, answer } = pending()
  const replies: Parameters<typeof serve>[0] = { [UPLOAD]: () => answered }
  const { person, upload } = await sending(replies)
  await waitFor(() => expect(upload()).toBeTruthy())
  replies[`DELETE /documents/uploads/${upload()}`] = () => {
    answer(reply(201, { message: '', campaign }))
    return reply(409, { code: 'TOO_LATE', message: 'the import is a campaign already' })
  }
  await person.click(await screen.findByRole('button', { name: 'Cancel import' }))
  expect((await screen.findByRole('link', { name: 'Open campaign' })).getAttribute('href')).toBe('/campaign/5')
})

test('a cancel that fails says so while the import goes on', async () => {
  const { answered, answer } = pending()
  const { person, upload } = await sending({ [UPLOAD]: () => answered })
  await waitFor(() => expect(upload()).toBeTruthy())
  serve({ [`DELETE /documents/uploads/${upload()}`]: reply(503, { code: 'UNAVAILABLE', message: '' }) })
  await person.click(await screen.findByRole('button', { name: 'Cancel import' }))
  expect(await screen.findByText(/^A importação não pôde ser cancelada\./)).toBeTruthy()
  expect(screen.getByRole('button', { name: 'Cancel import' })).toBeTruthy()
  answer(reply(503, { code: 'UNAVAILABLE', message: '' }))
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Cancel import' })).toBeNull())
})

test('a refused sheet is handed back with its errors', async () => {
  const refused = { Message: 'no', ErrorCode: 57, total_errors: 1, details: [{ row: 3, column: 'Serial Number', value: '', message: 'is missing' }], rejected_id: ID }
  const file = new Response('PK', { headers: { 'content-disposition': 'attachment; filename="cars-errors.xlsx"' } })
  const { person } = await sending({ [UPLOAD]: reply(422, refused), [`GET /documents/rejected/${ID}`]: file })
  expect(await screen.findByText(/a coluna Errors é ignorada/)).toBeTruthy()
  await person.click(screen.getByRole('button', { name: 'Download the sheet with its errors' }))
  await waitFor(() => expect(saved).toEqual(['cars-errors.xlsx']))
})

test('a sheet that is gone by now says so, and other refusals offer none', async () => {
  const refused = { Message: 'no', ErrorCode: 57, total_errors: 1, details: [{ row: 3, column: 'A', value: '', message: 'no' }], rejected_id: ID }
  const { person } = await sending({ [UPLOAD]: reply(422, refused), [`GET /documents/rejected/${ID}`]: reply(404, { code: 'NO_UPLOAD', message: 'there is no such sheet' }) })
  await person.click(await screen.findByRole('button', { name: 'Download the sheet with its errors' }))
  expect(await screen.findByText('A planilha não pôde ser baixada. Não encontrado. Talvez tenha sido excluído.')).toBeTruthy()
  serve({ [UPLOAD]: reply(422, { Message: 'no', ErrorCode: 55, total_errors: 0, details: [], rejected_id: null }) })
  await person.upload(screen.getByLabelText('Campaign file'), workbook)
  await person.click(screen.getByRole('button', { name: 'Upload campaign' }))
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Download the sheet with its errors' })).toBeNull())
})
