import { expect, test, type Page } from './support/test'
import { createCampaignFile, vinOf, YARD_LETTERS, createRowsInAllYards, type CampaignRow } from './support/campaign'
import { typeIdentifier, recordNavigationTimes, listEntries, getNavigationTimes, toastOfKind } from './support/parts'
import { createPerson, signIn, supervisor, uniqueName } from './support/people'
import { SIZES, takeWindowScreenshot } from './support/screenshots'

const VEHICLES = 5000
const IN_YARD_A = 179
const NEXT_MS = 3100
/** Tolerance in milliseconds: the countdown starts at the response to the save, which takes longer on a busy machine. */
const LATE_MS = 1900
const NEXT_TOAST = 'O veículo foi inspecionado, redirecionando para o próximo...'

/** Formats a count as the screens show it, such as `5 000`. */
const shown = (count: number) => String(count).replace(/(\d)(\d{3})$/, '$1 $2')
const progress = (done: number, total: number) => `${shown(done)} / ${shown(total)}`

async function importCampaign(page: Page, name: string, rows: CampaignRow[]): Promise<void> {
  await page.getByRole('button', { name: 'Open menu' }).click()
  await page.getByRole('navigation', { name: 'More' }).getByRole('link', { name: 'Create New Campaign' }).click()
  await expect(page.getByRole('heading', { name: 'Select Campaign' })).toBeVisible()
  await recordProgress(page)
  await page.getByLabel('Campaign file').setInputFiles(createCampaignFile(name, rows))
  await page.getByRole('button', { name: 'Upload campaign' }).click()
}

/** Records every text that the upload progress shows from now on, since it may be gone before a test can read it. */
const recordProgress = (page: Page) =>
  page.evaluate(() => {
    const seen = new Set<string>()
    const look = () => document.querySelectorAll('[role=status]:has(progress)').forEach((part) => seen.add(part.textContent ?? ''))
    new MutationObserver(look).observe(document.body, { subtree: true, childList: true, characterData: true })
    Object.assign(window, { seenProgress: seen })
  })
const seenProgress = (page: Page) => page.evaluate(() => [...(window as unknown as { seenProgress: Set<string> }).seenProgress])

async function findCampaign(page: Page, name: string): Promise<void> {
  await page.goto('/campaign-home')
  await page.getByRole('searchbox', { name: 'Search Campaign' }).fill(name)
  await expect(campaigns(page)).toHaveCount(1)
  await expect(campaigns(page)).toContainText(name)
}

const campaigns = (page: Page) => page.locator('tbody tr, main ul > li').filter({ has: page.getByRole('link', { name: /^View vehicles of / }) })
const pickCampaign = (page: Page) => campaigns(page).getByRole('link', { name: /^Campaign (in progress|completed)/ }).click()

/** Expects the vehicle on the screen, types its serial number and chooses a status. */
async function inspect(page: Page, row: CampaignRow, status: string): Promise<void> {
  await expect(page.getByText(row.space, { exact: true }).first()).toBeVisible()
  await expect(page.getByText(vinOf(row)).first()).toBeVisible()
  await typeIdentifier(page, row.serial)
  await expect(page.getByText('O identificador confere com este veículo.')).toBeVisible()
  await page.getByRole('group', { name: 'Select Status' }).getByRole('button', { name: status, exact: true }).click()
}

/** Taps 'Ir agora', which opens the next vehicle without the delay. */
const hurry = (page: Page) => page.getByRole('button', { name: 'Ir agora' }).click()

for (const viewport of SIZES) {
  test.describe(`at ${viewport.width}`, () => {
    test.use({ viewport })

    test('a campaign is imported, a yard is walked and its vehicles are inspected', async ({ page, browser, request }) => {
      const name = uniqueName('Airbag recall')
      const tiny = uniqueName('Tiny check')
      const rows = createRowsInAllYards(VEHICLES)
      const yardA = rows.filter(({ space }) => space.startsWith('A-'))

      await test.step('the supervisor signs in', async () => {
        await page.goto('/')
        await expect(page.getByRole('button', { name: 'Sign in' })).toBeDisabled()
        await takeWindowScreenshot(page, 'sign-in')
        await signIn(page, supervisor)
        await expect(page.getByRole('region', { name: 'Signed in as' })).toContainText('Supervisor')
      })

      await test.step('imports five thousand vehicles and sees the progress', async () => {
        await importCampaign(page, name, rows)
        await expect(page.getByText('Documento enviado com sucesso e inserido no banco de dados! A campanha já pode ser iniciada.')).toBeVisible({ timeout: 60_000 })
        const rowsSeen = (await seenProgress(page)).map((text) => Number(/(\d+) linhas/.exec(text)?.[1]))
        expect(Math.max(...rowsSeen)).toBeGreaterThan(0)
        await takeWindowScreenshot(page, 'import-done')
        await page.getByRole('link', { name: 'Open campaign' }).click()
        await expect(page.getByText(progress(0, VEHICLES))).toBeVisible()
        await expect(page.getByText('Ready to Start')).toBeVisible()
      })

      await test.step('finds the campaign and the right counts in every yard', async () => {
        await findCampaign(page, name)
        await expect(campaigns(page)).toContainText(progress(0, VEHICLES))
        await expect(campaigns(page).getByRole('img', { name: 'Campaign in progress' })).toBeVisible()
        await takeWindowScreenshot(page, 'campaigns')
        await pickCampaign(page)
        await expect(page.getByRole('heading', { name: 'Select Yard' })).toBeVisible()
        for (const letter of YARD_LETTERS) {
          const tile = page.getByRole('link', { name: new RegExp(`^Yard ${letter} `) })
          if (letter === '-' || letter === '0') await expect(tile).toHaveCount(0)
          else await expect(tile).toContainText(`0/${rows.filter(({ space }) => space.startsWith(`${letter}-`)).length}`)
        }
        await takeWindowScreenshot(page, 'yards')
      })

      await test.step('finds every vehicle in the list, with leading zeros and dashes', async () => {
        await findCampaign(page, name)
        await page.getByRole('link', { name: `View vehicles of ${name}` }).click()
        await expect(page.getByRole('button', { name: `All ${shown(VEHICLES)}` })).toBeVisible()
        await page.getByLabel('Yard Filter').selectOption({ label: 'Yard -' })
        await page.getByRole('searchbox').fill('- 3')
        await expect(page.getByText('- 3', { exact: true })).toBeVisible()
        await page.getByLabel('Yard Filter').selectOption({ label: 'Yard 0' })
        await page.getByRole('searchbox').fill('0-7')
        await expect(page.getByText('0-7', { exact: true })).toBeVisible()
        await page.goto(page.url().split('?')[0] ?? '')
        await page.getByRole('searchbox').fill('000042')
        await expect(page.getByText('HB20 000042')).toBeVisible()
        await expect(listEntries(page, 'HB20')).toHaveCount(1)
        await page.getByRole('searchbox').fill('')
        await takeWindowScreenshot(page, 'vehicles')
      })

      const operator = await createPerson(request, 'op')
      const context = await browser.newContext()
      const walk = await context.newPage()

      await test.step('an operator picks the campaign, the yard and the campaign in it', async () => {
        await signIn(walk, operator)
        await expect(walk.getByRole('region', { name: 'Signed in as' })).toContainText('Operator')
        await findCampaign(walk, name)
        await expect(walk.getByLabel('Step 1 of 3')).toBeVisible()
        await pickCampaign(walk)
        await expect(walk.getByLabel('Step 2 of 3')).toBeVisible()
        await walk.getByRole('link', { name: /^Yard A / }).click()
        await expect(walk.getByRole('heading', { name: 'Select Campaign' })).toBeVisible()
        await expect(walk.getByRole('main').getByText('Yard A', { exact: true })).toBeVisible()
        await takeWindowScreenshot(walk, 'yard')
        await walk.getByRole('link', { name }).click()
        await expect(walk.getByLabel('Step 3 of 3')).toBeVisible()
        await expect(walk.getByText(progress(0, IN_YARD_A))).toBeVisible()
        await takeWindowScreenshot(walk, 'campaign')
      })

      await test.step('starts it and saves five vehicles in walking order', async () => {
        await walk.getByRole('button', { name: 'Start campaign' }).click()
        await expect(walk).toHaveURL(/\/vehicle\/\d+/)
        const saveNext = walk.getByRole('button', { name: 'Save and Go Next' })
        await expect(saveNext).toBeDisabled()
        expect(yardA.slice(0, 5).map(({ space }) => space)).toEqual(['A-1', 'A-2', 'A-3', 'A-4', 'A-5'])
        for (const [index, row] of yardA.slice(0, 5).entries()) {
          await inspect(walk, row, index === 3 ? 'ng' : 'ok')
          if (index === 0) await takeWindowScreenshot(walk, 'vehicle')
          await recordNavigationTimes(walk)
          const address = walk.url()
          await saveNext.click()
          if (index === 0) await expect(toastOfKind(walk, 'success', NEXT_TOAST)).toBeVisible()
          else await hurry(walk)
          await expect(walk).not.toHaveURL(address)
          await expect(walk.getByText(yardA[index + 1]?.space ?? '', { exact: true }).first()).toBeVisible()
          const { tapped, gone } = await getNavigationTimes(walk)
          if (index === 0) {
            expect(gone - tapped).toBeGreaterThanOrEqual(NEXT_MS)
            expect(gone - tapped).toBeLessThan(NEXT_MS + LATE_MS)
          } else {
            expect(gone - tapped).toBeLessThan(NEXT_MS)
          }
        }
      })

      await test.step('tiles and progress show the new counts', async () => {
        await walk.getByRole('button', { name: 'Cancel' }).click()
        await expect(walk.getByText(progress(5, IN_YARD_A))).toBeVisible()
        await expect(walk.getByText('Ongoing')).toBeVisible()
        await findCampaign(walk, name)
        const seen = rows.filter(({ space }) => !space.startsWith('-')).length // operators do not see the dash
        await expect(campaigns(walk)).toContainText(progress(5, seen))
        await pickCampaign(walk)
        await expect(walk.getByRole('link', { name: /^Yard A / })).toContainText(`5/${IN_YARD_A}`)
      })

      await test.step('a small campaign is finished and gets its check mark', async () => {
        const few = createRowsInAllYards(3)
        await importCampaign(page, tiny, few)
        await page.getByRole('link', { name: 'Open campaign' }).click()
        await expect(page).toHaveURL(/\/campaign\/\d+$/)
        const address = new URL(page.url()).pathname
        const [first, second, last] = few.toSorted((a, b) => a.space.localeCompare(b.space)) as [CampaignRow, CampaignRow, CampaignRow]
        await walk.goto(address)
        await walk.getByRole('button', { name: 'Start campaign' }).click()
        for (const row of [first, second]) {
          await inspect(walk, row, 'ok')
          await walk.getByRole('button', { name: 'Save and Go Next' }).click()
          await hurry(walk)
        }
        await inspect(walk, last, 'Not Found')
        await expect(walk.getByRole('button', { name: 'Save and Go Next' })).toBeDisabled()
        await walk.getByRole('button', { name: 'Save and Exit' }).click()
        await expect(walk).toHaveURL(address)
        await expect(walk.getByText('Pending Review')).toBeVisible()
        await expect(walk.getByText(progress(3, 3))).toBeVisible()
        await findCampaign(walk, tiny)
        await expect(campaigns(walk).getByRole('img', { name: 'Campaign completed' })).toBeVisible()
      })
      await context.close()
    })
  })
}
