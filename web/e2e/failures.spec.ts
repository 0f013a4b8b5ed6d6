import { expect, test, type Page, type Route } from './support/test'
import { importUniqueCampaign, createCampaignFile, createRowsInYard } from './support/campaign'
import { captureDownload, holdRequest, chooseRowAction, toastOfKind, openTool, uploadFile } from './support/parts'
import { supervisor } from './support/people'
import { PHONE, takeScreenshot } from './support/screenshots'
import { openAs, getHeaders, createMember, getSharedMember } from './support/session'

const DOWN = { status: 500, json: { code: 'INTERNAL', message: 'the database is away' } }
/** Error that the app does not retry by itself, so that a test need not wait for the retries. */
const AT_ONCE = { status: 400, json: { code: 'BAD_REQUEST', message: 'the database is away' } }

/** Makes one call fail as if the server had an error. */
const fail = (page: Page, path: string, method = 'GET', answer: Parameters<Route['fulfill']>[0] = DOWN) =>
  page.route(path, (route) => (route.request().method() === method ? route.fulfill(answer) : route.fallback()))

/** Turns off live events, so that changes of other tests do not reload the screen and a failed call stays failed until it is retried. */
const hearNothing = (page: Page) => fail(page, '**/api/events', 'GET', { status: 404, json: { code: 'NOT_FOUND', message: 'live events are off' } })

const isOwn = (url: URL) => url.pathname === '/api/campaigns'
test.use({ viewport: PHONE })

test('campaigns that cannot be loaded show an error, and are there when it is tried again', async ({ page }) => {
  await hearNothing(page)
  await importUniqueCampaign(page.request, await getHeaders(page.request, supervisor), 'Loaded later', createRowsInYard('K', 1))
  await page.route(isOwn, (route) => route.fulfill(page.url().includes('home') ? DOWN : AT_ONCE))
  for (const path of ['/campaign-home', '/yard/2', '/campaign-list']) {
    await openAs(page, supervisor, path)
    await expect(toastOfKind(page, 'error', 'Erro ao carregar campanhas')).toBeVisible()
    await expect(page.getByRole('alert').getByText(/^Erro ao carregar campanhas\. /)).toBeVisible()
  }
  await takeScreenshot(page, 'manage-failed')
  await page.unroute(isOwn)
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByRole('alert')).toHaveCount(0)
  await expect(page.locator('tbody tr, main li').first()).toBeVisible()
})

test('each other screen says what could not be loaded and offers to try again', async ({ page }) => {
  await hearNothing(page)
  const headers = await getHeaders(page.request, supervisor)
  const { id, vehicles: [first] } = await importUniqueCampaign(page.request, headers, 'Unloaded', createRowsInYard('K', 1))
  const screens: [path: string, call: string][] = [
    ['/yard', '**/api/yards?*'], [`/campaign/${id}`, `**/api/campaigns/${id}`], [`/campaign/${id}/vehicles`, '**/api/vehicles/campaign/*/all'], [`/vehicle/${first?.id}`, `**/api/vehicles/${first?.id}`],
  ]
  for (const [path, call] of screens) {
    await fail(page, call, 'GET', AT_ONCE)
    await openAs(page, supervisor, path)
    await expect(page.getByRole('alert').getByRole('button', { name: 'Try again' })).toBeVisible({ timeout: 20_000 })
    await takeScreenshot(page, `failed${path.replaceAll(/\/|\d+/g, '-')}`)
    await page.unroute(call)
    await page.getByRole('button', { name: 'Try again' }).click()
    await expect(page.getByRole('alert')).toHaveCount(0)
  }
  await openAs(page, supervisor, '/vehicle/99999999')
  await expect(page.getByRole('alert')).toContainText('Não encontrado. Talvez tenha sido excluído.')
})

test('bulk tools that fail say so, beside the tool too, and keep the list', async ({ page }) => {
  const { vehicles: [first] } = await importUniqueCampaign(page.request, await getHeaders(page.request, supervisor), 'Unchanged', createRowsInYard('K', 1))
  const vin = first?.vin_number ?? ''
  await openAs(page, await getSharedMember(page.request, 'tm'), '/campaign-list')
  const statuses = await openTool(page, 'Status Manager')
  await statuses.getByLabel('VIN list').fill(vin)
  await statuses.getByLabel('Status').selectOption('ok')
  await expect(statuses.getByText('1 vehicle will be set to ok.')).toBeVisible()
  await fail(page, '**/api/vehicles/bulk/*', 'POST')
  await statuses.getByRole('button', { name: 'Execute' }).click()
  await expect(toastOfKind(page, 'error', 'Erro ao executar atualização de status')).toBeVisible()
  await expect(statuses.getByRole('alert')).toContainText('Erro ao executar atualização de status. ')
  await expect(statuses.getByLabel('VIN list')).toHaveValue(vin)
  await page.unroute('**/api/vehicles/bulk/*')
  const spaces = await openTool(page, 'Parking Space Manager')
  await spaces.getByLabel('VIN and parking space list').fill(`${vin} B-9`)
  await expect(spaces.getByText('1 vehicle will change parking space.')).toBeVisible()
  await fail(page, '**/api/vehicles/bulk/*', 'POST')
  await spaces.getByRole('button', { name: 'Execute' }).click()
  await expect(toastOfKind(page, 'error', 'Erro ao executar atualização de parking space')).toBeVisible()
  await expect(spaces.getByRole('alert')).toContainText('Erro ao executar atualização de parking space. ')
  await takeScreenshot(page, 'manage-bulk-failed')
})

test('a CSV file that is refused, unreadable or not applied says so', async ({ page }) => {
  const { vehicles: [first] } = await importUniqueCampaign(page.request, await getHeaders(page.request, supervisor), 'By file', createRowsInYard('K', 1))
  const [model, serial] = (first?.vin_number ?? '').split(' ')
  const csv = (text: string | Buffer, name = 'changes.csv') => ({ name, mimeType: 'text/csv', buffer: Buffer.from(text) })
  await openAs(page, await getSharedMember(page.request, 'tm'), '/campaign-list')
  const tool = await openTool(page, 'CSV Editor')
  const file = tool.getByLabel('CSV file')
  await file.setInputFiles(csv('a', 'changes.txt'))
  await expect(toastOfKind(page, 'error', 'Apenas arquivos CSV (.csv) são suportados.')).toBeVisible()
  await file.setInputFiles(csv(Buffer.alloc(5_242_881, 'x')))
  await expect(toastOfKind(page, 'error', 'O arquivo deve ter no máximo 5MB.')).toBeVisible()
  for (const [text, words] of [['', /O arquivo está vazio/], ['one\ntwo', /cabeçalho/], ['Model Code,Status\nHB20,ok', /falta a coluna Serial Number/]] as const) {
    await file.setInputFiles(csv(text))
    await expect(tool.getByRole('alert')).toContainText(words)
    await expect(tool.getByRole('button', { name: 'Execute' })).toBeDisabled()
  }
  await takeScreenshot(page, 'manage-csv-refused')
  await file.setInputFiles(csv(`Model Code,Serial Number,Status\n${model},${serial},`))
  await expect(tool.getByText('Vehicles: 0 · To change: 0 · Errors: 0')).toBeVisible()
  await expect(tool.getByRole('button', { name: 'Execute' })).toBeDisabled()
  for (const [delimiter, status] of [[',', 'ng'], [';', 'ok'], ['\t', 'Gate Out'], ['|', 'Not Found']] as const) {
    const lines = ['Changes of today', ['Model Code', 'Serial Number', 'Status', 'Team Leader Notes'].join(delimiter), [model, serial, status, ''].join(delimiter)]
    await file.setInputFiles(csv(`\uFEFF${lines.slice(delimiter === ',' ? 1 : 0).join('\r\n')}`))
    await expect(tool.getByRole('table', { name: 'Changes' })).toContainText(`— → ${status}`)
  }
  await expect(tool.getByRole('table', { name: 'Changes' })).not.toContainText('Notes')
  await fail(page, '**/api/vehicles/csv', 'POST')
  await tool.getByRole('button', { name: 'Execute' }).click()
  await expect(toastOfKind(page, 'error', 'Erro ao executar atualização de veículos')).toBeVisible()
  await expect(tool.getByRole('alert')).toContainText('Erro ao executar atualização de veículos. ')
  await fail(page, '**/api/vehicles/csv/validate', 'POST', { status: 400, json: { code: 'BAD_REQUEST', message: 'not text' } })
  await file.setInputFiles(csv('Model Code,Serial Number,Status\nHB20,1,ok'))
  await expect(toastOfKind(page, 'error', 'Erro ao processar arquivo CSV. Verifique se o formato está correto.')).toBeVisible()
})

test('a conversion to SQL that fails says why, or that it failed', async ({ page }) => {
  const { name } = await importUniqueCampaign(page.request, await getHeaders(page.request, supervisor), 'Unconverted', createRowsInYard('K', 1))
  await openAs(page, await getSharedMember(page.request, 'tm'), `/campaign-list?search=${encodeURIComponent(name)}`)
  const convert = page.getByLabel(`Convert XLSX to SQL for ${name}`)
  await fail(page, '**/api/convert-to-sql', 'POST', { status: 422, json: { code: 'BAD_SHEET', message: 'the sheet is upside down' } })
  await convert.setInputFiles(createCampaignFile(name, createRowsInYard('K', 1)))
  await expect(page.getByRole('alert')).toContainText(`${name}: the sheet is upside down`)
  await fail(page, '**/api/convert-to-sql', 'POST', { status: 502, body: '' })
  await convert.setInputFiles(createCampaignFile(name, createRowsInYard('K', 1)))
  await expect(toastOfKind(page, 'error', 'Falha na conversão.')).toBeVisible()
  await expect(page.getByRole('alert')).toContainText(`${name}: Falha na conversão.`)
})

test('an upload that fails says so and keeps the file; a message about the worksheet is understood', async ({ page }) => {
  await openAs(page, await getSharedMember(page.request, 'tm'), '/import')
  const submit = page.getByRole('button', { name: 'Upload campaign' })
  await expect(submit).toBeDisabled()
  await expect(page.getByLabel('Campaign file')).toHaveAttribute('accept', '.xlsx')
  await expect(page.getByLabel('Campaign file')).not.toHaveAttribute('multiple')
  const answer = await holdRequest(page, '**/api/documents/upload', (route) => route.fulfill(DOWN))
  await uploadFile(page, createCampaignFile('Unsent', createRowsInYard('K', 1)))
  await expect(page.getByText('Reading file...').first()).toBeVisible()
  await takeScreenshot(page, 'import-reading')
  answer()
  await expect(page.getByRole('alert')).toContainText('Failed to upload! Please, try again.')
  await expect(page.getByText('campaign.xlsx', { exact: true })).toBeVisible()
  await expect(submit).toBeEnabled()
  await takeScreenshot(page, 'import-failed')
  await fail(page, '**/api/documents/upload', 'POST', { status: 422, json: { Message: 'no worksheet of that name', ErrorCode: 0 } })
  await submit.click()
  await expect(page.getByRole('alert')).toContainText("Renomeie a aba para 'Sheet1'")
  await expect(submit).toBeDisabled()
})

test('columns that are wrong are shown in a picture and an example', async ({ page, context }) => {
  await openAs(page, await getSharedMember(page.request, 'tm'), '/import')
  await fail(page, '**/api/documents/upload', 'POST', { status: 422, json: { Message: 'columns', ErrorCode: 56 } })
  await uploadFile(page, createCampaignFile('Columns', createRowsInYard('K', 1)))
  const help = page.getByRole('alert')
  await expect(help).toContainText('A planilha tem colunas erradas ou a mais.')
  await takeScreenshot(page, 'import-columns')
  const opening = context.waitForEvent('page')
  await help.getByRole('link', { name: 'See the expected columns' }).click()
  expect((await page.request.get((await opening).url())).headers()['content-type']).toContain('image/svg')
  const example = await captureDownload(page, () => help.getByRole('button', { name: 'Download example file' }).click())
  expect(example.name).toMatch(/\.xlsx$/)
})

test('users that cannot be loaded, found, changed or deleted show an error', async ({ page }) => {
  const person = await createMember(page.request, 'op')
  const gone = await createMember(page.request, 'op')
  await fail(page, '**/api/users', 'GET', AT_ONCE)
  await openAs(page, supervisor, '/user-management?panel=active')
  await expect(page.getByText('Erro ao carregar usuários.')).toBeVisible({ timeout: 20_000 })
  await takeScreenshot(page, 'users-failed')
  await page.goto('/user-management?panel=password')
  await expect(page.getByText('Erro ao buscar usuários.')).toBeVisible({ timeout: 20_000 })
  await page.unroute('**/api/users')
  await page.goto('/user-management?panel=hmc')
  const change = page.getByRole('form', { name: 'Change HMC' }).getByRole('button', { name: 'Change HMC' })
  await page.getByLabel('User', { exact: true }).selectOption({ label: `${gone.hmc} · Operator` })
  await page.getByLabel('New HMC').fill(`${gone.hmc}-c`)
  await fail(page, `**/api/users/${gone.id}`, 'PUT', { status: 500, body: 'no' })
  await change.click()
  await expect(page.getByText('Erro ao conectar ao backend ou ao banco de dados.')).toBeVisible()
  await fail(page, `**/api/users/${gone.id}`, 'PUT', { status: 400, body: '' })
  await change.click()
  await expect(page.getByText('Erro na requisição.')).toBeVisible()
  await page.unroute(`**/api/users/${gone.id}`)
  expect((await page.request.delete(`/api/users/${gone.id}`, { headers: await getHeaders(page.request, supervisor) })).status()).toBe(200)
  await change.click()
  await expect(page.getByText('Usuário não encontrado.')).toBeVisible()
  await page.goto('/user-management?panel=active')
  await page.getByRole('searchbox').fill(person.hmc)
  await chooseRowAction(page, person.hmc, `Delete user ${person.hmc}`)
  await fail(page, `**/api/users/${person.id}`, 'DELETE')
  await page.getByRole('button', { name: 'YES', exact: true }).click()
  await expect(page.getByRole('dialog').getByRole('alert')).toContainText('Erro ao deletar usuário. ')
  await takeScreenshot(page, 'users-not-deleted')
})
