import { expect, test } from '@playwright/test'
import { rowsOver, uploaded } from './support/campaign'
import { supervisor, unique } from './support/people'
import { SIZES, shot } from './support/screenshots'
import { enter, headersOf, memberOf } from './support/session'

const NO_STEPS = ['Send to review', 'Back to ongoing', 'Close campaign', 'Reopen campaign']

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
      for (const label of NO_STEPS) await expect(page.getByRole('button', { name: label })).toHaveCount(0)

      await enter(page, await memberOf(page.request, 'tm'), `/campaign/${id}`)
      await page.getByRole('button', { name: 'Send to review' }).click()
      await expect(badge).toContainText('Pending Review')
      await page.getByRole('button', { name: 'Back to ongoing' }).click()
      await expect(badge).toContainText('Ongoing')
      await page.getByRole('button', { name: 'Close campaign' }).click()
      await expect(page.getByRole('dialog')).toContainText('até que um supervisor a reabra')
      await page.getByRole('button', { name: 'YES', exact: true }).click()
      await expect(badge).toContainText('Closed')
      await expect(page.getByRole('button', { name: 'Campaign completed' })).toBeDisabled()
      await expect(page.getByRole('button', { name: 'Reopen campaign' })).toHaveCount(0)

      await enter(page, supervisor, `/campaign/${id}`)
      await expect(badge).toContainText('Closed')
      await shot(page, 'campaign-closed')
      await page.getByRole('button', { name: 'Reopen campaign' }).click()
      await expect(badge).toContainText('Ongoing')
    })

    test('yards are columns to look at and to tap, on home and on the campaign', async ({ page }) => {
      const headers = await headersOf(page.request, supervisor)
      const id = await uploaded(page.request, headers, unique('Columns'), rowsOver(56))
      await enter(page, supervisor, '/campaign-home')
      await expect(page.getByRole('region', { name: 'Progress' })).toContainText('vehicles inspected')
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
