import { expect, test, type Page } from './support/test'
import { chooseMenuAction } from './support/campaignActions'
import { importUniqueCampaign, createRowsInYard, createRowsInAllYards, saveVehicle, importCampaign, fetchVehicles } from './support/campaign'
import { colourOf } from './support/colours'
import { supervisor, uniqueName } from './support/people'
import { PHONE, SIZES, takeScreenshot } from './support/screenshots'
import { openAs, getHeaders, getSharedMember } from './support/session'

const STEPS = /Send for review|Back to Ongoing|Close campaign|Reopen campaign/

/** Expects that the person may not change the status of the campaign on the screen. */
async function expectNoSteps(page: Page): Promise<void> {
  const more = page.getByRole('button', { name: 'More actions' })
  await expect(page.getByRole('link', { name: 'Vehicles List' })).toBeVisible()
  if ((await more.count()) > 0) await more.click()
  await expect(page.getByText(STEPS)).toHaveCount(0)
  if ((await more.count()) > 0) await page.keyboard.press('Escape')
}

for (const viewport of SIZES) {
  test.describe(`at ${viewport.width}`, () => {
    test.use({ viewport })

    test('a campaign goes to review and to its end by a team leader, and is reopened by a supervisor', async ({ page }) => {
      const name = uniqueName('Life')
      const headers = await getHeaders(page.request, supervisor)
      const id = await importCampaign(page.request, headers, name, createRowsInAllYards(56))
      await page.request.put(`/api/campaigns/${id}`, { headers, data: { status: 'Ongoing' } })
      const badge = page.getByRole('region', { name })

      await openAs(page, await getSharedMember(page.request, 'op'), `/campaign/${id}`)
      await expect(badge).toContainText('Ongoing')
      await expectNoSteps(page)

      await openAs(page, await getSharedMember(page.request, 'tm'), `/campaign/${id}`)
      await chooseMenuAction(page, 'Send for review')
      await expect(badge).toContainText('Pending Review')
      await chooseMenuAction(page, 'Back to Ongoing')
      await expect(badge).toContainText('Ongoing')
      await chooseMenuAction(page, 'Close campaign')
      await expect(page.getByRole('dialog')).toContainText('até que um supervisor a reabra')
      await page.getByRole('button', { name: 'YES', exact: true }).click()
      await expect(badge).toContainText('Closed')
      await expect(page.getByRole('button', { name: 'Closed, 56 of 56 not inspected' })).toBeDisabled()
      for (const words of ['Per hour now', 'Working now', 'Make available offline']) await expect(page.getByText(words)).toHaveCount(0)
      await expectNoSteps(page)

      await openAs(page, supervisor, `/campaign/${id}`)
      await expect(badge).toContainText('Closed')
      await takeScreenshot(page, 'campaign-closed')
      await chooseMenuAction(page, 'Reopen campaign')
      await expect(badge).toContainText('Ongoing')
    })

    test('the campaign is started, continued in its yard and completed', async ({ page }) => {
      const headers = await getHeaders(page.request, supervisor)
      const campaign = await importUniqueCampaign(page.request, headers, 'Whole', createRowsInYard('K', 3))
      const [first] = campaign.vehicles
      const operator = await getSharedMember(page.request, 'op')
      const badge = page.getByRole('region', { name: campaign.name })
      const reads = () => page.request.get(`/api/campaigns/${campaign.id}`, { headers }).then((response) => response.json())
      await openAs(page, operator, `/campaign/${campaign.id}?yard=18`)
      await expect(badge.getByText('Ready to Start')).toBeVisible()
      await expect(page.getByRole('link', { name: 'Vehicles List' })).toHaveAttribute('href', `/campaign/${campaign.id}/vehicles?yard=K`)
      await page.getByRole('button', { name: 'Start campaign' }).click()
      await expect(page).toHaveURL(new RegExp(`/vehicle/${first?.id}\\?yard=18$`))
      expect((await reads()).status).toBe('Ongoing')
      await page.goto(`/campaign/${campaign.id}`)
      await expect(page.getByRole('link', { name: 'Vehicles List' })).toHaveAttribute('href', `/campaign/${campaign.id}/vehicles`)
      const ongoing = await colourOf(badge.getByText('Ongoing'), 'color')
      await page.getByRole('button', { name: 'Continue campaign' }).click()
      await expect(page).toHaveURL(new RegExp(`/vehicle/${first?.id}$`))
      await page.request.put(`/api/campaigns/${campaign.id}`, { headers, data: { status: 'Pending Review' } })
      await page.goto(`/campaign/${campaign.id}`)
      expect(await colourOf(badge.getByText('Pending Review'), 'color')).toEqual(ongoing)
      await page.getByRole('button', { name: 'Continue campaign' }).click()
      await expect(page).toHaveURL(new RegExp(`/vehicle/${first?.id}$`))
      expect((await reads()).status).toBe('Pending Review')
      for (const { id } of await fetchVehicles(page.request, headers, campaign.id)) await saveVehicle(page.request, headers, id, { status: 'ok' })
      await page.goto(`/campaign/${campaign.id}`)
      await expect(page.getByRole('button', { name: 'All vehicles inspected' })).toBeDisabled()
      await page.evaluate(() => localStorage.setItem('language', 'pt-BR'))
      if (viewport === PHONE) await page.setViewportSize({ width: 360, height: 640 })
      await page.reload()
      const figures = page.locator('dl strong')
      await expect(figures).toHaveCount(4)
      const tops = await figures.evaluateAll((all) => all.map((one) => Math.round(one.getBoundingClientRect().bottom - one.getBoundingClientRect().height / 2)))
      const rows = viewport === PHONE ? [tops.slice(0, 2), tops.slice(2)] : [tops]
      for (const row of rows) expect(Math.max(...row) - Math.min(...row), 'the values of a row stand on one line').toBeLessThanOrEqual(4)
      await page.evaluate(() => localStorage.removeItem('language'))
      await page.setViewportSize(viewport)
      await page.reload()
      await takeScreenshot(page, 'campaign-inspected')
    })

    test('yards are columns to look at and to tap, on home and on the campaign', async ({ page }) => {
      const headers = await getHeaders(page.request, supervisor)
      const id = await importCampaign(page.request, headers, uniqueName('Columns'), createRowsInAllYards(56))
      await openAs(page, supervisor, '/campaign-home')
      await expect(page.getByRole('region', { name: 'Progress', exact: true })).toContainText('vehicles inspected')
      await expect(page.getByRole('link', { name: /^Yard A: / })).toHaveAttribute('href', '/yard/2')
      await expect(page.getByRole('link', { name: /^Yard (-|0): / })).toHaveCount(0)
      await takeScreenshot(page, 'home')
      await page.goto(`/campaign/${id}`)
      await page.getByRole('link', { name: 'Yard A: 0 of 2 inspected' }).click()
      await expect(page).toHaveURL(/yard=2/)
      await expect(page.getByText('0 / 2')).toBeVisible()
      await takeScreenshot(page, 'campaign-yard')
    })
  })
}
