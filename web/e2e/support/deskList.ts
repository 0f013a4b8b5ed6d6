import type { APIRequestContext, Page } from '@playwright/test'
import { createRowsInYard, importUniqueCampaign, saveVehicle } from './campaign'
import { listEntries } from './parts'
import { supervisor } from './people'
import { getHeaders } from './session'

/** Number of vehicles in yard A. */
const IN_A = 30

/** Imports a campaign with vehicles in the yards A, B and -, of which the first four in yard A have a status. Returns locators of its list. */
export async function importDeskCampaign(request: APIRequestContext) {
  const headers = await getHeaders(request, supervisor)
  const campaign = await importUniqueCampaign(request, headers, 'Desk', [...createRowsInYard('A', IN_A), ...createRowsInYard('B', 12, 101), ...createRowsInYard('-', 1, 201)])
  const inA = campaign.vehicles.filter(({ parking_space }) => parking_space.startsWith('A-'))
  for (const [index, status] of ['ok', 'ng', 'Repair', 'ok'].entries()) await saveVehicle(request, headers, inA[index]?.id ?? 0, { status })
  const rows = (page: Page) => listEntries(page, campaign.model)
  return {
    ...campaign,
    inA,
    rows,
    list: (query = '') => `/campaign/${campaign.id}/vehicles${query}`,
    rowOf: (page: Page, space: string) => rows(page).filter({ has: page.getByText(space, { exact: true }) }),
  }
}
