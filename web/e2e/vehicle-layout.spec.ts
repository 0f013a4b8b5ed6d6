import { expect, test, type Locator, type Page } from './support/test'
import { importUniqueCampaign, createRowsInYard, saveVehicle, type Vehicle } from './support/campaign'
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
