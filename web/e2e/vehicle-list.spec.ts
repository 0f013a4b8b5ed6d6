import { expect, test, type Locator, type Page } from './support/test'
import { importUniqueCampaign, createRowsInYard, saveVehicle } from './support/campaign'
import { colourOf, colourNameOf } from './support/colours'
import { holdRequest, listEntries, tapOn } from './support/parts'
import { supervisor } from './support/people'
import { DESK, PHONE, SIZES, takeScreenshot } from './support/screenshots'
import { openAs, getHeaders, getSharedMember } from './support/session'

const COLOURS = [
  ['ok', 'green'], ['ng', 'red'], ['Not Found', 'grey'], ['Repair', 'orange'],
  ['Repair OK', 'blue'], ['Gate Out', 'grey'], ['S/OFF BL', 'purple'],
] as const
const IN_A = 125

let campaign: Awaited<ReturnType<typeof importUniqueCampaign>>

test.beforeAll(async ({ request }) => {
  const headers = await getHeaders(request, supervisor)
  campaign = await importUniqueCampaign(request, headers, 'Listed', [...createRowsInYard('A', IN_A), ...createRowsInYard('-', 2, 201), ...createRowsInYard('0', 3, 301), { serial: '000401', space: '--' }])
  const inA = campaign.vehicles.filter(({ parking_space }) => parking_space.startsWith('A-'))
  await Promise.all(COLOURS.map(([status], index) => saveVehicle(request, headers, inA[index]?.id ?? 0, { status })))
})

const rows = (page: Page) => listEntries(page, campaign.model)
const pages = (page: Page) => page.getByRole('navigation', { name: 'Pages' })

for (const viewport of SIZES) {
  test.describe(`at ${viewport.width}`, () => {
    test.use({ viewport })

    test('the list names its campaign and problem and shows ten vehicles with coloured statuses', async ({ page }) => {
      await openAs(page, await getSharedMember(page.request, 'op'), `/campaign/${campaign.id}/vehicles?yard=A`)
      await expect(page.getByRole('heading', { level: 1, name: 'Vehicles List' })).toBeVisible()
      await expect(page.getByRole('main').getByText(campaign.name, { exact: true })).toBeVisible()
      await expect(page.getByText('Airbag · Check the inflator label')).toBeVisible()
      if (viewport === DESK) await expect(page.getByRole('columnheader')).toHaveText(['View', 'VIN Number', 'Parking Space', 'Status'])
      await expect(rows(page)).toHaveCount(10)
      const edges = await Promise.all(COLOURS.map(async ([status]) => {
        const edge = await rows(page).getByText(status, { exact: true }).boundingBox()
        return Math.round(viewport === DESK ? (edge?.x ?? 0) : (edge?.x ?? 0) + (edge?.width ?? 0))
      }))
      expect(new Set(edges).size, 'the badges line up').toBe(1)
      for (const [status, colour] of COLOURS) {
        const badge = rows(page).getByText(status, { exact: true })
        await expect(badge).toHaveCSS('text-transform', 'uppercase')
        expect(colourNameOf(await colourOf(badge, 'color')), status).toBe(colour)
      }
      expect(colourNameOf(await colourOf(rows(page).last().getByText('Not inspected'), 'color'))).toBe('black')
      await takeScreenshot(page, 'vehicles-statuses')
      await page.getByRole('button', { name: 'ng 1' }).click()
      await expect(rows(page)).toHaveCount(1)
      await tapOn(page, rows(page).getByText(/^A-\d+$/))
      await expect(page).toHaveURL(viewport === DESK ? /\/vehicles\?yard=A&status=ng&vehicle=\d+$/ : /\/vehicle\/\d+\?yard=2$/)
      if (viewport === DESK) await expect(rows(page).getByRole('link')).toHaveAttribute('href', /\/vehicle\/\d+\?yard=2$/)
    })

    test('nothing moves when the first rows arrive', async ({ page }) => {
      const answers = await Promise.all(['**/vehicles/campaign/*?*', '**/all'].map((path) => holdRequest(page, path)))
      await openAs(page, supervisor, `/campaign/${campaign.id}/vehicles`)
      await expect(page.getByText('Airbag · Check the inflator label')).toBeVisible()
      const place = page.getByRole('status', { name: 'Loading vehicles...' })
      await expect(place).toBeVisible()
      const positions = (list: Locator) => Promise.all([page.getByRole('heading', { level: 1 }), page.getByPlaceholder('Search by VIN Number or Parking Space'), list].map(async (part) => Math.round((await part.boundingBox())?.y ?? 0)))
      const before = await positions(viewport === DESK ? place.locator('xpath=..') : place)
      for (const answer of answers) answer()
      await expect(rows(page)).toHaveCount(10)
      await expect(page.getByText('Loading vehicles...')).toHaveCount(0)
      expect(await positions(rows(page).first().locator(viewport === DESK ? 'xpath=ancestor::table/..' : 'xpath=ancestor-or-self::li/..'))).toEqual(before)
    })

    test('a spinner turns while all vehicles load', async ({ page }) => {
      const answer = await holdRequest(page, '**/all')
      await openAs(page, supervisor, `/campaign/${campaign.id}/vehicles`)
      await expect(page.getByText('Loading vehicles...')).toBeVisible()
      await takeScreenshot(page, 'vehicles-loading')
      answer()
      await expect(rows(page)).toHaveCount(10)
      await expect(page.getByText('Loading vehicles...')).toHaveCount(0)
    })

    test('VIN and parking space are searched without regard to case', async ({ page }) => {
      await openAs(page, supervisor, `/campaign/${campaign.id}/vehicles`)
      const search = page.getByPlaceholder('Search by VIN Number or Parking Space')
      await search.fill(`${campaign.model} 000007`.toLowerCase())
      await expect(rows(page)).toHaveCount(1)
      await search.fill('a-12')
      await expect(rows(page)).toHaveCount(7)
      const hints = page.getByText(/next row$/)
      if (viewport === DESK) await expect(hints).toBeVisible()
      await search.fill('nothing like it')
      await expect(page.getByText('Nenhum veículo corresponde à busca.')).toBeVisible()
      await expect(page.getByRole('group', { name: 'Status', exact: true })).toHaveCount(0)
      await expect(hints).toHaveCount(0)
      await takeScreenshot(page, 'vehicles-none')
      await page.getByRole('button', { name: 'Show all vehicles' }).click()
      await expect(rows(page)).toHaveCount(10)
    })

    test('the yard filter is kept in the address and hides the dash from operators', async ({ page }) => {
      const filter = page.getByLabel('Yard Filter')
      await openAs(page, supervisor, `/campaign/${campaign.id}/vehicles`)
      await expect(filter.getByRole('option')).toHaveText(['All Yards', 'Yard -', 'Yard 0', 'Yard A'])
      await filter.selectOption('Yard -')
      await expect(page).toHaveURL(/yard=-$/)
      await expect(rows(page)).toHaveCount(3) // '- 1', '- 2' and '--'
      await filter.selectOption('Yard 0')
      await expect(rows(page)).toHaveCount(3)
      await openAs(page, await getSharedMember(page.request, 'tm'), `/campaign/${campaign.id}/vehicles?yard=0`)
      await expect(filter.locator('option:checked')).toHaveText('Yard 0')
      await expect(filter.getByRole('option')).toHaveText(['All Yards', 'Yard -', 'Yard 0', 'Yard A'])
      await openAs(page, await getSharedMember(page.request, 'op'), `/campaign/${campaign.id}/vehicles`)
      await expect(filter.getByRole('option')).toHaveText(['All Yards', 'Yard 0', 'Yard A'])
      await expect(pages(page).getByRole('button', { name: 'Page 13' })).toBeVisible() // 125 in A and 3 in 0
      await expect(rows(page)).toHaveCount(10)
      await expect(rows(page).filter({ hasText: /(^|\s)-( \d|-)/ })).toHaveCount(0)
      await page.getByPlaceholder('Search by VIN Number or Parking Space').fill('- 1')
      await expect(page.getByText('Nenhum veículo corresponde à busca.')).toBeVisible()
      await page.goto(`/campaign/${campaign.id}/vehicles?yard=-`)
      await expect(page.getByText('Nenhum veículo corresponde à busca.')).toBeVisible()
      await expect(rows(page)).toHaveCount(0)
    })

    test('the pager shows the current page and two at each side, the first and the last', async ({ page }) => {
      await openAs(page, supervisor, `/campaign/${campaign.id}/vehicles?yard=A&page=7`)
      const shown = pages(page).locator('button:not([aria-label=\'Previous page\']):not([aria-label=\'Next page\']), span')
      await expect(shown).toHaveText(['1', '…', '5', '6', '7', '8', '9', '…', '13'])
      await expect(pages(page).getByRole('button', { name: 'Page 7' })).toHaveAttribute('aria-current', 'page')
      await expect(rows(page).first()).toContainText('A-61')
      await pages(page).getByRole('button', { name: 'Page 13' }).click()
      await expect(page).toHaveURL(/page=13/)
      await expect(shown).toHaveText(['1', '…', '11', '12', '13'])
      await expect(rows(page)).toHaveCount(5)
      await page.goto(`/campaign/${campaign.id}/vehicles?yard=A&page=x`)
      await expect(shown).toHaveText(['1', '2', '3', '…', '13'])
      await takeScreenshot(page, 'vehicles-pager')
    })
  })
}

test.describe('on a phone', () => {
  test.use({ viewport: PHONE })

  test('six vehicles fit above the bar with Walk and scan, and the last four digits of a VIN stand out', async ({ page }) => {
    await openAs(page, await getSharedMember(page.request, 'op'), `/campaign/${campaign.id}/vehicles?yard=A`)
    await expect(rows(page)).toHaveCount(10)
    await expect(page.getByText('Filtro: Yard A')).toBeVisible()
    const bar = await page.locator('[data-bottom-bar]').filter({ has: page.getByRole('link', { name: 'Walk and scan' }) }).boundingBox()
    expect((bar?.y ?? 0) + (bar?.height ?? 0)).toBe(PHONE.height)
    await page.goto(`/campaign/${campaign.id}/vehicles`)
    await expect(rows(page)).toHaveCount(10)
    const sixth = await rows(page).nth(5).boundingBox()
    expect((sixth?.y ?? 0) + (sixth?.height ?? 0)).toBeLessThanOrEqual(bar?.y ?? 0)
    const link = rows(page).first().getByRole('link')
    await expect(link).toHaveCSS('font-weight', '400')
    await expect(link.locator('b')).toHaveCSS('font-weight', '700')
  })

  test('a long name and a long problem leave room for the vehicles, and the problem opens on tap', async ({ page }) => {
    const headers = await getHeaders(page.request, supervisor)
    const long = await importUniqueCampaign(page.request, headers, `Listed${' with a long name'.repeat(5)}`, createRowsInYard('A', 7))
    const problem = { part: 'Airbag connector of the driver side', description: 'Connector may come loose; check the yellow clip on both sides, push it in until it clicks, then pull gently' }
    expect((await page.request.put(`/api/campaigns/${long.id}`, { headers, data: problem })).status()).toBe(200)
    for (const [index, [status]] of COLOURS.entries()) await saveVehicle(page.request, headers, long.vehicles[index]?.id ?? 0, { status })
    await openAs(page, await getSharedMember(page.request, 'op'), `/campaign/${long.id}/vehicles`)
    const text = page.getByRole('button', { name: `${problem.part} · ${problem.description}` })
    const bar = page.locator('[data-bottom-bar]')
    const bottom = async (part: Locator) => await part.evaluate((element) => element.getBoundingClientRect().bottom)
    await expect(listEntries(page, long.model)).toHaveCount(7)
    const closed = (await text.boundingBox())?.height ?? 0
    await text.click()
    await expect(text).toHaveAttribute('aria-expanded', 'true')
    expect((await text.boundingBox())?.height).toBeGreaterThan(closed + 20)
    await text.click()
    expect((await text.boundingBox())?.height).toBe(closed)

    // with few vehicles, the bar stands at the lower edge of the window, also on a tablet
    await page.getByRole('searchbox').fill('nothing like it')
    await expect(page.getByText('Nenhum veículo corresponde à busca.')).toBeVisible()
    for (const [width, height] of [[360, 640], [390, 844], [768, 1024]] as const) {
      await page.setViewportSize({ width, height })
      expect(await bottom(bar), `the bar at ${width}`).toBe(height)
      expect(await bottom(page.getByRole('button', { name: 'Show all vehicles' })), `the message at ${width}`).toBeLessThan((await bar.boundingBox())?.y ?? 0)
    }

    // on a phone held sideways, name and problem share a line and the chips are one row
    await page.getByRole('searchbox').fill('')
    await expect(listEntries(page, long.model)).toHaveCount(7)
    await page.setViewportSize({ width: 844, height: 390 })
    const [name, shown] = [await page.getByTitle(long.name).boundingBox(), await text.locator('span').boundingBox()]
    expect(Math.abs((name?.y ?? 0) - (shown?.y ?? 99))).toBeLessThan(3)
    for (const part of [page.getByTitle(long.name), text.locator('span')]) await expect(part).toHaveCSS('text-overflow', 'ellipsis')
    await expect(page.getByRole('button', { name: 'S/OFF BL 1' })).toBeAttached()
    expect((await page.getByRole('group', { name: 'Status', exact: true }).boundingBox())?.height).toBeLessThan(60)
    expect(await bottom(page.getByRole('row').nth(1))).toBeLessThan((await bar.boundingBox())?.y ?? 0)
  })
})

test('vehicles with an open conflict are marked for those who may decide', async ({ page }) => {
  const headers = await getHeaders(page.request, supervisor)
  const { id, model, vehicles } = await importUniqueCampaign(page.request, headers, 'Marked', createRowsInYard('A', 2))
  for (const status of ['ng', 'ok']) {
    const data = { status, base: { status: '' }, on_conflict: 'keep', device_time: new Date().toISOString() }
    expect((await page.request.put(`/api/vehicles/${vehicles[0]?.id}`, { headers, data })).status()).toBe(200)
  }
  for (const size of SIZES) {
    await page.setViewportSize(size)
    await openAs(page, supervisor, `/campaign/${id}/vehicles`)
    await expect(listEntries(page, model).filter({ hasText: 'Conflict' })).toHaveText(/000001/)
  }
  await openAs(page, await getSharedMember(page.request, 'op'), `/campaign/${id}/vehicles`)
  await expect(listEntries(page, model)).toHaveCount(2)
  await expect(listEntries(page, 'Conflict')).toHaveCount(0)
})
