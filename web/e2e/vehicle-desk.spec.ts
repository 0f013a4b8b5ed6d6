import { expect, test, type Locator, type Page } from './support/test'
import { fetchVehicle } from './support/campaign'
import { importDeskCampaign } from './support/deskList'
import { createHandScanner, keystrokesOf } from './support/handScanner'
import { typeIdentifier } from './support/parts'
import { supervisor } from './support/people'
import { DESK, takeScreenshot } from './support/screenshots'
import { openAs, getHeaders } from './support/session'

let campaign: Awaited<ReturnType<typeof importDeskCampaign>>

test.use({ viewport: DESK })
test.beforeAll(async ({ request }) => {
  campaign = await importDeskCampaign(request)
})

const rows = (page: Page) => campaign.rows(page)
const rowOf = (page: Page, space: string) => campaign.rowOf(page, space)
const pane = (page: Page) => page.getByRole('region', { name: 'Open vehicle' })

test('a vehicle opens beside the list, and back and reload restore what was open', async ({ page }) => {
  await openAs(page, supervisor, campaign.list('?yard=A'))
  await rowOf(page, 'A-2').getByRole('link').click()
  await expect(pane(page).getByText('A-2', { exact: true }).first()).toBeVisible()
  await expect(page).toHaveURL(new RegExp(`yard=A&vehicle=${campaign.inA[1]?.id}$`))
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(['Vehicles List'])
  await expect(rowOf(page, 'A-2').getByRole('link')).toHaveAttribute('aria-current', 'true')
  await takeScreenshot(page, 'vehicles-split')
  await page.reload()
  await expect(pane(page).getByText('A-2', { exact: true }).first()).toBeVisible()
  await page.goBack()
  await expect(pane(page)).toHaveCount(0)
  await expect(rows(page)).toHaveCount(10)
  await page.goForward()
  await pane(page).getByRole('button', { name: 'Open on its own page' }).click()
  await expect(page).toHaveURL(new RegExp(`/vehicle/${campaign.inA[1]?.id}\\?yard=2$`))
})

test('on a narrower window a vehicle opens on its own page', async ({ page }) => {
  await page.setViewportSize({ width: 1099, height: 800 })
  await openAs(page, supervisor, campaign.list('?yard=A'))
  await rowOf(page, 'A-2').getByRole('link').click()
  await expect(page).toHaveURL(new RegExp(`/vehicle/${campaign.inA[1]?.id}\\?yard=2$`))
})

test('arrow keys walk the rows, Enter opens, Escape closes', async ({ page }) => {
  await openAs(page, supervisor, campaign.list('?yard=A'))
  await expect(rows(page)).toHaveCount(10)
  const link = (space: string) => rowOf(page, space).getByRole('link')
  await link('A-1').focus()
  await page.keyboard.press('ArrowDown')
  await expect(link('A-2')).toBeFocused()
  await page.keyboard.press('j')
  await expect(link('A-3')).toBeFocused()
  await page.keyboard.press('k')
  await expect(link('A-2')).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(pane(page).getByText('A-2', { exact: true }).first()).toBeVisible()
  await expect(link('A-2')).toBeFocused()
  await page.keyboard.press('ArrowUp')
  await expect(pane(page).getByText('A-1', { exact: true }).first()).toBeVisible()
  for (let step = 0; step < 10; step++) await page.keyboard.press('ArrowDown')
  await expect(link('A-11')).toBeFocused()
  await expect(page).toHaveURL(/page=2/)
  await expect(pane(page).getByText('A-11', { exact: true }).first()).toBeVisible()
  await page.keyboard.press('[')
  await expect(link('A-1')).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(pane(page)).toHaveCount(0)
  const scan = await createHandScanner(page)
  await scan(...keystrokesOf((campaign.vehicles[0]?.vin_number ?? '').replace(/[^jk]/gi, 'j')))
  await expect(link('A-2')).toBeFocused()
})

test('a save beside the list opens the next vehicle there, and leaving it closes it', async ({ page }) => {
  const headers = await getHeaders(page.request, supervisor)
  const [, , , , fifth, sixth] = campaign.inA
  await openAs(page, supervisor, campaign.list(`?yard=A&vehicle=${fifth?.id}`))
  await typeIdentifier(page, fifth?.vin_number ?? '')
  await pane(page).getByRole('button', { name: 'ok', exact: true }).click()
  await pane(page).getByRole('button', { name: 'Save and Go Next' }).click()
  await expect(pane(page).getByText(sixth?.parking_space ?? '', { exact: true }).first()).toBeVisible()
  await expect(page).toHaveURL(new RegExp(`vehicle=${sixth?.id}$`))
  await expect.poll(() => fetchVehicle(page.request, headers, fifth?.id ?? 0)).toMatchObject({ status: 'ok' })
  await expect(rowOf(page, 'A-5')).toContainText('ok')
  await pane(page).getByRole('button', { name: 'Cancel' }).click()
  await expect(pane(page)).toHaveCount(0)
  await expect(page).toHaveURL(/\/vehicles\?yard=A$/)
})

test('beside the list, the problem and all statuses stand above the saves, which end the pane', async ({ page }) => {
  await openAs(page, supervisor, campaign.list('?yard=A'))
  await rowOf(page, 'A-6').getByRole('link').click()
  const manual = pane(page).getByRole('button', { name: 'Manual', exact: true })
  const edgesOf = (part: Locator) => part.evaluate((element) => {
    const { left, right, top, bottom } = element.getBoundingClientRect()
    return { left, right, top, bottom }
  })
  for (const size of [{ width: 1280, height: 720 }, DESK, { width: 1920, height: 1080 }]) {
    await page.setViewportSize(size)
    await expect(manual).toBeInViewport()
    const bar = await edgesOf(pane(page).locator('[data-bottom-bar]'))
    const frame = await edgesOf(pane(page))
    expect([Math.abs(frame.bottom - bar.bottom), Math.abs(frame.right - bar.right)].every((gap) => gap <= 2), JSON.stringify({ size, frame, bar })).toBe(true)
    const problem = await edgesOf(pane(page).getByText('Check the inflator label'))
    expect(problem.top).toBeGreaterThan(frame.top)
    for (const status of ['ok', 'ng', 'Not Found', 'Repair', 'Repair OK', 'Gate Out', 'S/OFF BL']) {
      const button = await edgesOf(pane(page).getByRole('button', { name: status, exact: true }))
      expect(button.bottom, `${status} at ${size.width}`).toBeLessThanOrEqual(bar.top)
      expect(button.top).toBeGreaterThan(problem.bottom)
      expect(button.bottom - button.top).toBeGreaterThanOrEqual(44)
    }
  }
  await pane(page).getByRole('button', { name: 'Edit Parking Space: A-6' }).click()
  await pane(page).getByLabel('Parking Space', { exact: true }).fill('A-66')
  await page.keyboard.press('Enter')
  await expect(pane(page).getByRole('img', { name: 'A-66' })).toBeVisible()
})

test('on its own page, Scan and Manual stand beside the field, and the bar below the history has the saves alone', async ({ page }) => {
  await openAs(page, supervisor, `/vehicle/${campaign.inA[6]?.id}?yard=2`)
  const bar = page.locator('[data-bottom-bar]')
  await expect(bar.getByRole('button')).toHaveText(['Save and Go Next', 'Save and Exit', 'Cancel'])
  const boxOf = async (part: Locator) => (await part.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }
  for (const name of ['Manual', 'Scan']) {
    // The page moves until its fonts and the history are loaded, so a single measurement of two parts may compare two layouts.
    await expect(async () => {
      const [field, button] = await Promise.all([boxOf(page.getByLabel('Vehicle identifier')), boxOf(page.getByRole('button', { name, exact: true }))])
      expect(Math.abs(button.y - field.y)).toBeLessThanOrEqual(2)
      expect(button.x).toBeGreaterThan(field.x + field.width)
    }).toPass({ timeout: 10_000 })
  }
  const history = await boxOf(page.getByRole('region', { name: 'History' }))
  const form = await boxOf(page.getByRole('form', { name: 'Vehicle Inspection' }))
  const saves = await boxOf(bar)
  expect(saves.height).toBeLessThanOrEqual(90)
  expect(saves.y + saves.height).toBeLessThanOrEqual(form.y + form.height + 1)
  await bar.getByRole('button', { name: 'Cancel' }).scrollIntoViewIfNeeded()
  expect(history.y).toBeLessThan((await boxOf(bar)).y)
})
