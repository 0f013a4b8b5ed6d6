import { expect, test, type Page } from './support/test'
import { importUniqueCampaign, createRowsInYard, saveVehicle, importCampaign, type CampaignRow } from './support/campaign'
import { colourOf, type Hsl } from './support/colours'
import { listEntries, tapOn } from './support/parts'
import { supervisor, uniqueName } from './support/people'
import { DESK, SIZES, takeScreenshot } from './support/screenshots'
import { openAs, getHeaders, createMember, getSharedMember } from './support/session'

const YARD_K = 18
/** Number of vehicles of each yard, and the expected colour of its tile. */
const TOTALS: [yard: string, total: number, fits: (colour: Hsl) => boolean][] = [
  ['A', 5001, ({ hue }) => hue > 172 && hue < 186],
  ['B', 1001, ({ hue }) => hue > 195 && hue < 215],
  ['C', 500, ({ hue }) => hue > 140 && hue < 165],
  ['D', 499, ({ saturation, lightness }) => saturation < 0.2 && lightness < 0.5],
]

let many = { prefix: '', first: 0 }
let coloured = { id: 0, name: '' }

test.beforeAll(async ({ request }) => {
  const headers = await getHeaders(request, supervisor)
  const prefix = uniqueName('Paged')
  many = { prefix, first: 0 }
  for (let n = 1; n <= 11; n++) many.first = await importCampaign(request, headers, `${prefix} ${String(n).padStart(2, '0')}`, createRowsInYard('K', 1, n))
  const rows: CampaignRow[] = []
  for (const [yard, total] of TOTALS) rows.push(...createRowsInYard(yard, total, rows.length + 1))
  coloured = await importUniqueCampaign(request, headers, 'Coloured', [...rows, ...createRowsInYard('-', 2, rows.length + 1)])
})

const pager = (page: Page) => page.getByRole('navigation', { name: 'Pages' })

for (const viewport of SIZES) {
  test.describe(`at ${viewport.width}`, () => {
    test.use({ viewport })

    test('campaigns are searched and paged, ten on a page', async ({ page }) => {
      await openAs(page, await getSharedMember(page.request, 'op'), '/campaign-home')
      await expect(page.getByRole('list', { name: 'Step 1 of 3' }).getByRole('listitem')).toHaveText(['1. Campaign', '2. Yard', '3. Inspection'])
      if (viewport === DESK) await expect(page.getByRole('columnheader')).toHaveText(['View', 'Campaign', 'Created', 'Date', 'Inspected'])
      await page.getByRole('searchbox', { name: 'Search Campaign' }).fill(many.prefix.toUpperCase())
      await expect(listEntries(page, many.prefix)).toHaveCount(10)
      await pager(page).getByRole('button', { name: 'Page 2', exact: true }).click()
      await expect(listEntries(page, many.prefix)).toHaveCount(1)
      await expect(page).toHaveURL(/page=2/)
      await page.goto('/campaign-home?page=nonsense')
      await expect(pager(page).getByRole('button', { name: 'Page 1', exact: true })).toHaveAttribute('aria-current', 'page')
    })

    test('name, creator and date lead to the yards, View to the vehicles', async ({ page }) => {
      const name = `${many.prefix} 11`
      const today = new Intl.DateTimeFormat('pt-BR', { timeZone: 'Etc/GMT+3', day: '2-digit', month: '2-digit', year: 'numeric' }).format()
      for (const part of [name, supervisor.hmc, today]) {
        await openAs(page, supervisor, `/campaign-home?search=${encodeURIComponent(name)}`)
        await tapOn(page, listEntries(page, name).getByText(part === supervisor.hmc ? new RegExp(`^(by HMC )?${supervisor.hmc}$`) : part, { exact: true }))
        await expect(page).toHaveURL(new RegExp(`/yard\\?campaign=${many.first}$`))
      }
      await page.goBack()
      await page.getByRole('link', { name: `View vehicles of ${name}` }).click()
      await expect(page).toHaveURL(new RegExp(`/campaign/${many.first}/vehicles$`))
    })

    test('a mark shows whether all vehicles are inspected', async ({ page }) => {
      const headers = await getHeaders(page.request, supervisor)
      const { name, vehicles: [only] } = await importUniqueCampaign(page.request, headers, 'Marked', createRowsInYard('K', 1))
      await openAs(page, supervisor, `/campaign-home?search=${encodeURIComponent(name)}`)
      await expect(page.getByTitle('Campaign in progress')).toBeVisible()
      await saveVehicle(page.request, headers, only?.id ?? 0, { status: 'ok' })
      await page.reload()
      await expect(page.getByTitle('Campaign completed')).toBeVisible()
      await expect(page.getByTitle('Campaign in progress')).toHaveCount(0)
      await takeScreenshot(page, 'home-completed')
    })

    test('yards are tiles in two columns, coloured by how many vehicles stand there', async ({ page }) => {
      await openAs(page, await getSharedMember(page.request, 'op'), `/yard?campaign=${coloured.id}`)
      await expect(page.getByRole('heading', { level: 1, name: 'Select Yard' })).toBeVisible()
      await expect(page.getByText(`Campaign ${coloured.id}: ${coloured.name}`)).toBeVisible()
      await expect(page.getByLabel('Campaign Filter').locator('option:checked')).toHaveText(coloured.name)
      const tiles = page.locator('main li').filter({ hasText: 'Vehicles for Inspection' })
      await expect(tiles).toHaveCount(TOTALS.length)
      for (const [yard, total, fits] of TOTALS) {
        const tile = tiles.filter({ hasText: `Yard ${yard}` })
        await expect(tile.getByRole('link')).toHaveText(`Yard ${yard}0/${String(total).replace(/(\d)(\d{3})$/, '$1 $2')}Vehicles for Inspection`)
        expect(fits(await colourOf(tile, 'backgroundColor')), `the colour of yard ${yard}`).toBe(true)
      }
      await expect(tiles.filter({ hasText: 'Yard A' })).toContainText('5 001 left'.replace(' ', '\u202f'))
      const [one, two, three] = await tiles.evaluateAll((all) => all.map((tile) => tile.getBoundingClientRect()))
      expect(one?.y).toBe(two?.y)
      expect(three?.x).toBe(one?.x)
      await takeScreenshot(page, 'yards-coloured')
      await tiles.filter({ hasText: 'Yard C' }).getByRole('link').click()
      await expect(page).toHaveURL(`/yard/11?campaign=${new URLSearchParams({ n: coloured.name }).toString().slice(2)}`)
    })

    test('yards are searched, and the filter goes back to all campaigns', async ({ page }) => {
      await openAs(page, supervisor, `/yard?campaign=${coloured.id}`)
      await expect(page.getByRole('link', { name: /^Yard / })).toHaveCount(TOTALS.length)
      await page.getByLabel('Campaign Filter').selectOption('All Campaigns')
      const links = page.getByRole('link', { name: /^Yard / })
      await expect(links.first()).toBeVisible()
      const fold = page.getByText(/^\d+ yards? without vehicles$/)
      const busy = await links.count()
      if (busy < 26) {
        await expect(fold).toHaveText(`${26 - busy} ${26 - busy === 1 ? 'yard' : 'yards'} without vehicles`)
        await fold.click()
      }
      await expect(links).toHaveCount(26)
      await expect(page.getByRole('link', { name: /^Yard (-|0)0/ })).toHaveCount(0)
      await page.getByRole('searchbox', { name: 'Search Yard' }).fill('k')
      await expect(page.getByRole('link', { name: /^Yard / })).toHaveCount(1)
      await page.getByRole('searchbox', { name: 'Search Yard' }).fill('kk')
      await expect(page.getByText('Nenhum pátio corresponde a "kk".')).toBeVisible()
      await takeScreenshot(page, 'yards-none')
    })

    test('yards with work come first, the finished one has a check, and each says what is left and who is there', async ({ page }) => {
      const headers = await getHeaders(page.request, supervisor)
      const operator = await createMember(page.request, 'op')
      const { id, vehicles } = await importUniqueCampaign(page.request, headers, 'In order', [...createRowsInYard('A', 1), ...createRowsInYard('B', 3, 2), ...createRowsInYard('C', 2, 5)])
      expect((await page.request.put(`/api/campaigns/${id}`, { headers, data: { status: 'Ongoing' } })).status()).toBe(200)
      const asOperator = await getHeaders(page.request, operator)
      for (const space of ['A-1', 'B-1']) await saveVehicle(page.request, asOperator, vehicles.find(({ parking_space }) => parking_space === space)?.id ?? 0, { status: 'ok' })
      await openAs(page, await getSharedMember(page.request, 'op'), `/yard?campaign=${id}`)
      const tiles = page.locator('main li').filter({ hasText: 'Vehicles for Inspection' })
      await expect(tiles.getByRole('link')).toContainText(['Yard B', 'Yard C', 'Yard A'])
      await expect(tiles.nth(0)).toContainText('2 left')
      await expect(tiles.nth(0)).toContainText(`Here now: HMC ${operator.hmc}`)
      await expect(tiles.nth(1)).toContainText('2 left')
      await expect(tiles.nth(1)).not.toContainText('Here now')
      await expect(tiles.nth(2)).toContainText('done')
      await takeScreenshot(page, 'yards-order')
    })

    test('the campaigns of a yard are in tabs, searched and paged', async ({ page }) => {
      const headers = await getHeaders(page.request, supervisor)
      const { id, name } = await importUniqueCampaign(page.request, headers, 'Ended', createRowsInYard('K', 1))
      for (const status of ['Ongoing', 'Closed']) expect((await page.request.put(`/api/campaigns/${id}`, { headers, data: { status } })).status()).toBe(200)
      const query = encodeURIComponent(many.prefix)
      await openAs(page, await getSharedMember(page.request, 'op'), `/yard/${YARD_K}?campaign=${query}&page=2`)
      await expect(page.getByRole('heading', { level: 1, name: 'Select Campaign' })).toBeVisible()
      await expect(page.getByRole('main').getByText('Yard K', { exact: true })).toBeVisible()
      await expect(page.getByRole('list', { name: 'Step 2 of 3' })).toBeVisible() // also when the campaign was picked before the yard
      await expect(page.getByRole('searchbox', { name: 'Search Campaign' })).toHaveValue(many.prefix)
      await expect(page.getByPlaceholder('Search Campaign')).toBeVisible()
      await expect(listEntries(page, many.prefix)).toHaveCount(1)
      await pager(page).getByRole('button', { name: 'Page 1', exact: true }).click()
      await expect(listEntries(page, many.prefix)).toHaveCount(10)
      await page.getByRole('searchbox').fill(name)
      await expect(page.getByText(`Nenhuma campanha corresponde a "${name}".`)).toBeVisible()
      await page.getByRole('tab', { name: 'Closed' }).click()
      await expect(listEntries(page, name)).toContainText('Closed')
      await takeScreenshot(page, 'yard-closed')
      await page.getByRole('tab', { name: 'Closed' }).press('ArrowLeft')
      await expect(page.getByRole('tab', { name: 'Ongoing' })).toHaveAttribute('aria-selected', 'true')
      await page.getByRole('searchbox').fill(`${many.prefix} 11`)
      await page.getByRole('link', { name: `${many.prefix} 11` }).click()
      await expect(page).toHaveURL(new RegExp(`/campaign/${many.first}\\?yard=${YARD_K}$`))
    })
  })
}
