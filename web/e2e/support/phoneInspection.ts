import { expect, type Locator, type Page } from './test'
import { importUniqueCampaign, createRowsInYard, type Vehicle } from './campaign'
import { createHandScanner, keystrokesOf } from './handScanner'
import { supervisor, type Person } from './people'
import { openAs, getHeaders, getSharedMember } from './session'

/** Button of a status. */
export const status = (page: Page, name: string) => page.getByRole('group', { name: 'Select Status' }).getByRole('button', { name, exact: true })
/** Button with this exact name. */
export const action = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
/** Returns the position of a part, with its right and lower edges. */
export const boxOf = async (part: Locator) => {
  const box = await part.boundingBox()
  if (box === null) throw new Error('it is not shown')
  return { ...box, right: box.x + box.width, bottom: box.y + box.height }
}

/** Expects that the middle of each part is in the window and covered by nothing, without scrolling. */
export async function expectInReach(page: Page, parts: Record<string, Locator>): Promise<void> {
  expect(await page.evaluate(() => scrollY)).toBe(0)
  for (const [name, part] of Object.entries(parts)) {
    const { x, y, width, height } = await boxOf(part)
    const isHit = await part.evaluate((element, at) => {
      const hit = document.elementFromPoint(at.x, at.y)
      return hit !== null && (element.contains(hit) || hit.contains(element))
    }, { x: x + width / 2, y: y + height / 2 })
    expect(isHit, name).toBe(true)
  }
}

/** Waits for the problem of the campaign, whose second line moves what stands below it. */
export const problemIsShown = (page: Page) => expect(page.getByText('Check the inflator label')).toBeVisible()

/** Imports a campaign with three vehicles and opens the first one. */
export async function opened(page: Page, person?: Person) {
  const headers = await getHeaders(page.request, supervisor)
  const { vehicles } = await importUniqueCampaign(page.request, headers, 'Phone', createRowsInYard('K', 3))
  const [first, second] = vehicles as [Vehicle, Vehicle]
  await openAs(page, person ?? (await getSharedMember(page.request, 'op')), `/vehicle/${first.id}`)
  await expect(action(page, 'Scan')).toBeVisible()
  await problemIsShown(page)
  return { headers, first, second }
}

/** Scans a vehicle with a hardware scanner, until the statuses have the focus. */
export async function scanned(page: Page, { vin_number }: Vehicle): Promise<void> {
  const scan = await createHandScanner(page)
  await expect(async () => { // a busy machine may type as slowly as a person, so the typing is retried
    await scan(...keystrokesOf(vin_number), 'Enter')
    await expect(page.getByRole('group', { name: 'Select Status' })).toBeFocused({ timeout: 1000 })
  }).toPass()
}
