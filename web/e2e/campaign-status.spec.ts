import { expect, test, type Page } from './support/test'
import { chooseMore } from './support/campaignActions'
import { campaignOf, rowsIn, rowsOver, saved, uploaded, vehiclesOf } from './support/campaign'
import { colourOf } from './support/colours'
import { supervisor, unique } from './support/people'
import { SIZES, shot } from './support/screenshots'
import { enter, headersOf, memberOf } from './support/session'

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
      const name = unique('Life')
      const headers = await headersOf(page.request, supervisor)
      const id = await uploaded(page.request, headers, name, rowsOver(56))
      await page.request.put(`/api/campaigns/${id}`, { headers, data: { status: 'Ongoing' } })
      const badge = page.getByRole('region', { name })

      await enter(page, await memberOf(page.request, 'op'), `/campaign/${id}`)
      await expect(badge).toContainText('Ongoing')
      await expectNoSteps(page)

      await enter(page, await memberOf(page.request, 'tm'), `/campaign/${id}`)
      await chooseMore(page, 'Send for review')
      await expect(badge).toContainText('Pending Review')
      await chooseMore(page, 'Back to Ongoing')
      await expect(badge).toContainText('Ongoing')
      await chooseMore(page, 'Close campaign')
      await expect(page.getByRole('dialog')).toContainText('até que um supervisor a reabra')
      await page.getByRole('button', { name: 'YES', exact: true }).click()
      await expect(badge).toContainText('Closed')
      await expect(page.getByRole('button', { name: 'Closed, 56 of 56 not inspected' })).toBeDisabled()
      await expectNoSteps(page)

      await enter(page, supervisor, `/campaign/${id}`)
      await expect(badge).toContainText('Closed')
      await shot(page, 'campaign-closed')
      await chooseMore(page, 'Reopen campaign')
      await expect(badge).toContainText('Ongoing')
    })

    test('the campaign is started, continued in its yard and completed', async ({ page }) => {
      const headers = await headersOf(page.request, supervisor)
      const campaign = await campaignOf(page.request, headers, 'Whole', rowsIn('K', 3))
      const [first] = campaign.vehicles
      const operator = await memberOf(page.request, 'op')
      const badge = page.getByRole('region', { name: campaign.name })
      const reads = () => page.request.get(`/api/campaigns/${campaign.id}`, { headers }).then((response) => response.json())
      await enter(page, operator, `/campaign/${campaign.id}?yard=18`)
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
      for (const { id } of await vehiclesOf(page.request, headers, campaign.id)) await saved(page.request, headers, id, { status: 'ok' })
      await page.goto(`/campaign/${campaign.id}`)
      await expect(page.getByRole('button', { name: 'All vehicles inspected' })).toBeDisabled()
      await shot(page, 'campaign-inspected')
    })

    test('yards are columns to look at and to tap, on home and on the campaign', async ({ page }) => {
      const headers = await headersOf(page.request, supervisor)
      const id = await uploaded(page.request, headers, unique('Columns'), rowsOver(56))
      await enter(page, supervisor, '/campaign-home')
      await expect(page.getByRole('region', { name: 'Progress', exact: true })).toContainText('vehicles inspected')
      await expect(page.getByRole('link', { name: /^Yard A: / })).toHaveAttribute('href', '/yard/2')
      await expect(page.getByRole('link', { name: /^Yard (-|0): / })).toHaveCount(0)
      await shot(page, 'home')
      await page.goto(`/campaign/${id}`)
      await page.getByRole('link', { name: 'Yard A: 0 of 2 inspected' }).click()
      await expect(page).toHaveURL(/yard=2/)
      await expect(page.getByText('0 / 2')).toBeVisible()
      await shot(page, 'campaign-yard')
    })
  })
}
