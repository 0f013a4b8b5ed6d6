import { expect, test } from './support/test'
import { createCampaignFile, createRowsInAllYards, importCampaign } from './support/campaign'
import { captureDownload, uploadFile } from './support/parts'
import { signIn, supervisor, uniqueName } from './support/people'
import { PHONE, takeScreenshot } from './support/screenshots'
import { openAs, expireSession, getHeaders, createMember, waitForRequests } from './support/session'
import { COLUMNS, createWorkbookFile, XLSX } from './support/xlsx'


test.use({ viewport: PHONE })

test('wrong passwords are counted down to a block that holds the button', async ({ page }) => {
  const { hmc, password } = await createMember(page.request, 'op')
  await page.goto('/')
  await page.getByLabel('HMC (Register Number)').fill(hmc)
  await page.getByLabel('Password').fill(`${password}?`)
  const button = page.getByRole('button', { name: 'Sign in' })
  for (const left of [4, 3, 2, 1]) {
    await button.click()
    await expect(page.getByText(`Invalid credentials. You have more ${left} attempt(s).`)).toBeVisible()
  }
  await button.click()
  await expect(page.getByText(/^Exceeded login attempts\. Please try again in 1[78]\d seconds\.$/)).toBeVisible()
  await expect(button).toBeDisabled()
  await takeScreenshot(page, 'sign-in-blocked')
})

test('an ended session says so and leads back to the same screen after signing in', async ({ page }) => {
  const person = await createMember(page.request, 'op')
  await openAs(page, person, '/yard?search=B')
  await expect(page.getByRole('searchbox', { name: 'Search Yard' })).toHaveValue('B')
  await waitForRequests(page) // a pending request would reveal the end of the session before the reload
  await expireSession(page)
  await page.reload()
  await expect(page.getByText('Session expired')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Sign in' })).toBeVisible()
  await page.getByLabel('HMC (Register Number)').fill(person.hmc)
  await page.getByLabel('Password').fill(person.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page).toHaveURL(/\/yard\?search=B$/)
})

test('damaged user data ends the session, and who is signed in is not asked again', async ({ page }) => {
  const person = await createMember(page.request, 'op')
  await signIn(page, person)
  await page.goto('/')
  await expect(page).toHaveURL(/\/campaign-home$/)
  await page.evaluate(() => sessionStorage.setItem('user', '{"hmc":'))
  await page.reload()
  await expect(page.getByRole('button', { name: 'Sign in' })).toBeVisible()
  expect(await page.evaluate(() => sessionStorage.getItem('JWT_TOKEN'))).toBeNull()
})

test('each refused workbook has its words', async ({ page }) => {
  const name = uniqueName('Taken')
  await importCampaign(page.request, await getHeaders(page.request, supervisor), name, createRowsInAllYards(1))
  await openAs(page, supervisor, '/import')
  await page.getByLabel('Campaign file').setInputFiles({ name: 'list.csv', mimeType: 'text/csv', buffer: Buffer.from('a') })
  await expect(page.getByText('Failed to select document. Only .xlsx documents are allowed.')).toBeVisible()
  await page.getByLabel('Campaign file').setInputFiles({ name: 'big.xlsx', mimeType: XLSX, buffer: Buffer.alloc(5_242_881) })
  await expect(page.getByText('Failed to select document. File size should not exceed 5MB.')).toBeVisible()
  await uploadFile(page, createWorkbookFile([COLUMNS], 'Plan1'))
  await expect(page.getByText("Renomeie a aba para 'Sheet1' e envie o arquivo novamente.")).toBeVisible()
  await uploadFile(page, createCampaignFile(name, createRowsInAllYards(1)))
  await expect(page.getByText(/^Uma campanha com o mesmo nome já existe para o /)).toBeVisible()
  await uploadFile(page, createWorkbookFile([[...COLUMNS, 'Colour'], [name, 'P', 'D', 'H', 'HB20', '1', 'A-1', 'red']]))
  await expect(page.getByText('A planilha tem colunas erradas ou a mais.')).toBeVisible()
  await uploadFile(page, createWorkbookFile([COLUMNS, [uniqueName('Bad rows'), 'P', 'D', 'H', 'HB20', '', 'A-1']]))
  await expect(page.getByText(/^Algumas linhas têm erros\. Nada foi importado/)).toBeVisible()
  await takeScreenshot(page, 'import-bad-rows')
  const example = await captureDownload(page, () => page.getByRole('button', { name: 'Download example file' }).click())
  expect(example.name).toMatch(/\.xlsx$/)
})
