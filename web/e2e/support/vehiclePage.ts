import { expect, type Page } from './test'
import { importUniqueCampaign, createRowsInYard, type Vehicle } from './campaign'
import { supervisor, type Person } from './people'
import { openAs, getHeaders } from './session'

/** Group of the status buttons. */
export const grid = (page: Page) => page.getByRole('group', { name: 'Select Status' })
export const button = (page: Page, status: string) => grid(page).getByRole('button', { name: status, exact: true })
export const next = (page: Page) => page.getByRole('button', { name: 'Save and Go Next' })
export const exit = (page: Page) => page.getByRole('button', { name: 'Save and Exit' })

/** Imports a campaign with three vehicles in yard K. */
export async function three(page: Page, title: string) {
  const headers = await getHeaders(page.request, supervisor)
  const campaign = await importUniqueCampaign(page.request, headers, title, createRowsInYard('K', 3))
  const [first, second, third] = campaign.vehicles as [Vehicle, Vehicle, Vehicle]
  return { headers, campaign, first, second, third }
}

/** Opens a vehicle as this person. */
export async function openVehicleAs(page: Page, person: Person, { id }: Vehicle): Promise<void> {
  await openAs(page, person, `/vehicle/${id}`)
  await expect(next(page)).toBeVisible()
}
