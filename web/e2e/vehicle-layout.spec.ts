import { expect, test, type Locator, type Page } from './support/test'
import { createRowsInYard, fetchVehicles, importCampaign, importUniqueCampaign, saveVehicle, type Vehicle } from './support/campaign'
import { openNotes, typeIdentifier } from './support/parts'
import { supervisor } from './support/people'
import { PHONE } from './support/screenshots'
import { openAs, getHeaders, getSharedMember } from './support/session'

const TABLET = { width: 768, height: 1024 }
const GUTTER = 24

const status = (page: Page, name: string) => page.getByRole('group', { name: 'Select Status' }).getByRole('button', { name, exact: true })
const action = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const bar = (page: Page) => page.locator('[data-bottom-bar]')
const boxOf = async (part: Locator) => {
  const { x, y, width, height } = (await part.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }
  return { x, y, height, right: x + width, bottom: Math.round(y + height) }
}

async function opened(page: Page) {
  const headers = await getHeaders(page.request, supervisor)
  const { vehicles } = await importUniqueCampaign(page.request, headers, 'Layout', createRowsInYard('K', 2))
  const [first] = vehicles as [Vehicle]
  await openAs(page, await getSharedMember(page.request, 'op'), `/vehicle/${first.id}`)
  await expect(action(page, 'Scan')).toBeVisible()
  await expect(page.getByText('Check the inflator label')).toBeVisible() // its lines move what stands below
  return { headers, first }
}

/** Expects a bar from edge to edge at the lower edge of the tablet. The buttons have one line and are as far from the edges as the content. */
async function expectTabletBar(page: Page): Promise<void> {
  expect(await boxOf(bar(page))).toMatchObject({ x: 0, right: TABLET.width, bottom: TABLET.height })
  for (const button of await bar(page).getByRole('button').all()) {
    const heightOfWords = await button.evaluate((element) => {
      const words = document.createRange()
      words.selectNodeContents(element)
      return words.getBoundingClientRect().height / Number.parseFloat(getComputedStyle(element).fontSize)
    })
    const { x, right } = await boxOf(button)
    expect([heightOfWords < 2, x >= GUTTER, right <= TABLET.width - GUTTER], (await button.textContent()) ?? '').toEqual([true, true, true])
  }
}

test('on a tablet, the bar has the rows of the phone and breaks no word, in both languages', async ({ page }) => {
  await page.setViewportSize(TABLET)
  const { first } = await opened(page)
  for (const [language, scan] of [['pt-BR', 'Ler código'], ['default', 'Scan']] as const) {
    await page.evaluate((chosen) => localStorage.setItem('language', chosen), language)
    await page.reload()
    await expect(action(page, scan)).toBeVisible()
    const [left, right] = [await boxOf(action(page, scan)), await boxOf(action(page, 'Manual'))]
    expect([left.x, left.height, right.height, right.right]).toEqual([GUTTER, 72, 72, TABLET.width - GUTTER])
    await expectTabletBar(page)
  }
  await typeIdentifier(page, first.vin_number)
  await status(page, 'ok').click()
  await expectTabletBar(page)
  await action(page, 'Save and Go Next').click()
  await action(page, 'Correct the notes').focus() // stops the delay
  await expectTabletBar(page)
})

test('a save of another person moves nothing while one\'s own status and note are not saved', async ({ page }) => {
  await page.setViewportSize(PHONE)
  const live = page.waitForResponse((response) => response.url().endsWith('/api/events'))
  const { headers, first } = await opened(page)
  await live // earlier saves of others are not announced
  await typeIdentifier(page, first.vin_number)
  await status(page, 'ng').click()
  await (await openNotes(page)).fill('left door')
  const places = () => Promise.all([status(page, 'ok'), status(page, 'ng'), page.getByLabel('Operator / Team Leader Notes'), action(page, 'Save and Go Next')].map(boxOf))
  await expect(page.getByRole('button', { name: /^Validate Inspection \(done\)/ })).toHaveAttribute('aria-expanded', 'false')
  const before = await places()
  await saveVehicle(page.request, headers, first.id, { status: 'ok', operator_notes: 'all fine' })
  await expect(bar(page).getByText(`${supervisor.hmc} acabou de salvar OK. O app vai perguntar ao salvar.`)).toBeVisible()
  await expect(status(page, 'ng')).toHaveAttribute('aria-pressed', 'true')
  expect(await places()).toEqual(before)
})

test('on a phone on its side, the vehicle stays in view while the notes of ng are written', async ({ page }) => {
  await page.setViewportSize({ width: PHONE.height, height: PHONE.width })
  const { first } = await opened(page)
  await typeIdentifier(page, first.vin_number)
  await status(page, 'ng').click()
  const notes = page.getByLabel('Operator / Team Leader Notes')
  await expect(notes).toBeInViewport({ ratio: 1 })
  await notes.fill('left door')
  await expect(page.getByText(first.vin_number).first()).toBeInViewport({ ratio: 1 })
})

test('on a phone on its side, the bar says in its row why saving is disabled', async ({ page }) => {
  await page.setViewportSize({ width: PHONE.height, height: PHONE.width })
  await opened(page)
  const reason = await boxOf(page.getByText('Leia ou digite o VIN para salvar.'))
  expect(reason.height).toBeGreaterThan(10)
  expect([reason.x > (await boxOf(action(page, 'Manual'))).right, reason.right < (await boxOf(action(page, 'Save and Go Next'))).x]).toEqual([true, true])
})

test('on a phone on its side, walk mode shows all seven statuses of a vehicle in one row, without scrolling', async ({ page }) => {
  await page.setViewportSize({ width: PHONE.height, height: PHONE.width })
  const headers = await getHeaders(page.request, supervisor)
  const { id, vehicles } = await importUniqueCampaign(page.request, headers, 'Walk', createRowsInYard('K', 2))
  await openAs(page, supervisor, `/campaign/${id}/walk`)
  const [first] = vehicles as [Vehicle]
  await typeIdentifier(page, first.vin_number)
  await page.getByRole('button', { name: new RegExp(first.vin_number) }).click()
  const sheet = page.getByRole('dialog', { name: `Vehicle ${first.vin_number}` })
  const statuses = await Promise.all(['ok', 'ng', 'Not Found', 'Repair', 'Repair OK', 'Gate Out', 'S/OFF BL'].map((name) => boxOf(status(page, name))))
  expect(new Set(statuses.map(({ y }) => y)).size).toBe(1)
  for (const part of [sheet.getByText('Check the inflator label'), status(page, 'S/OFF BL'), sheet.getByText('Notes', { exact: true }), sheet.getByRole('button', { name: 'Choose a status' })]) await expect(part).toBeInViewport({ ratio: 1 })
  expect(await sheet.evaluate((element) => element.scrollHeight - element.clientHeight)).toBeLessThanOrEqual(0)
})

test('on a phone, the folded details say space and status, and a long campaign name is not cut off', async ({ page }) => {
  await page.setViewportSize(PHONE)
  const { first } = await opened(page)
  const name = page.getByText(/^Layout /)
  expect(await name.evaluate((element) => element.scrollWidth - element.clientWidth)).toBeLessThanOrEqual(0)
  const [label, other] = await Promise.all(['Current status', 'Campaign'].map(async (term) => (await boxOf(page.getByRole('term').filter({ hasText: term }))).x))
  expect(label).toBe(other)
  await typeIdentifier(page, first.vin_number)
  await expect(page.getByRole('button', { name: /^Review Vehicle Details \(done\)/ })).toContainText('K-1 · Not inspected')
})

test('on a wide page, the history is in the left column, above the save bar', async ({ page }) => {
  await opened(page)
  const history = page.getByRole('region', { name: 'History' })
  for (const size of [{ width: 1100, height: 800 }, { width: 1440, height: 900 }, { width: 1920, height: 1080 }]) {
    await page.setViewportSize(size)
    const [left, details, statuses] = [await boxOf(history), await boxOf(page.locator('[data-step="2"]')), await boxOf(page.locator('[data-step="3"]'))]
    expect([left.x, left.right]).toEqual([details.x, details.right])
    expect([left.y >= details.bottom, left.right < statuses.x]).toEqual([true, true])
    expect((await boxOf(bar(page))).right).toBe(statuses.right)
  }
})

test('with a vehicle open beside the list, no status is cut off, in both languages', async ({ page }) => {
  const headers = await getHeaders(page.request, supervisor)
  const mark = Date.now().toString(36)
  const id = await importCampaign(page.request, headers, `Pane ${mark}`, createRowsInYard('K', 2), `LONGMODEL${mark.toUpperCase()}`)
  const [vehicle] = await fetchVehicles(page.request, headers, id)
  await openAs(page, supervisor, `/campaign/${id}/vehicles?vehicle=${vehicle?.id}`)
  const pane = page.getByRole('region', { name: /^(Open vehicle|Veículo aberto)$/ })
  for (const language of ['default', 'pt-BR']) {
    await page.evaluate((chosen) => localStorage.setItem('language', chosen), language)
    await page.setViewportSize({ width: 1100, height: 800 })
    await page.reload()
    const badge = pane.locator('[data-step="2"]').getByText(/^(Not inspected|Não inspecionado)$/)
    await expect(badge).toBeVisible()
    await expect(page.locator('tbody tr')).toHaveCount(2)
    for (const width of [1100, 1280, 1440]) {
      await page.setViewportSize({ width, height: 800 })
      await expect(async () => {
        expect((await boxOf(page.locator('tbody'))).right, `the rows, ${language} at ${width}`).toBeLessThanOrEqual((await boxOf(pane)).x - 16)
        expect((await boxOf(badge)).right, `${language} at ${width}`).toBeLessThanOrEqual((await boxOf(pane)).right - 12)
      }).toPass({ timeout: 5000 })
    }
  }
})
