import { importUniqueCampaign, createRowsInYard, fetchVehicle, type Vehicle } from './support/campaign'
import { typeIdentifier, openNotes, toastOfKind } from './support/parts'
import { supervisor } from './support/people'
import { PHONE, takeScreenshot } from './support/screenshots'
import { openAs, getHeaders, waitForServiceWorker, createMember } from './support/session'
import { expect, test, type BrowserContext, type Page } from './support/test'

const NOTE = 'scratch on the left door'
const MIN_TAP = 44

/** Prepares a phone with a pending save of a vehicle whose identifier a supervisor has corrected since. */
async function queued(page: Page, context: BrowserContext) {
  const headers = await getHeaders(page.request, supervisor)
  const { model, vehicles } = await importUniqueCampaign(page.request, headers, 'Other car', createRowsInYard('K', 2))
  const [{ id, vin_number: seen }] = vehicles as [Vehicle]
  await openAs(page, await createMember(page.request, 'op'), `/vehicle/${id}`)
  await expect(page.getByRole('button', { name: 'Save and Exit' })).toBeVisible()
  await waitForServiceWorker(page)
  await context.setOffline(true)
  await typeIdentifier(page, seen)
  await page.getByRole('group', { name: 'Select Status' }).getByRole('button', { name: 'ng', exact: true }).click()
  await (await openNotes(page)).fill(NOTE)
  await page.getByRole('button', { name: 'Save and Exit' }).click()
  await expect(page.getByRole('link', { name: '1 pending save' })).toBeVisible()
  await expect(page).toHaveURL(/\/campaign\/\d+$/) // no screen waits for the response any more, so a rejection is a toast instead of a dialog
  const now = `${model} NEW7`
  expect((await page.request.put(`/api/vehicles/${id}`, { headers, data: { vin_number: now } })).status()).toBe(200)
  const before = await fetchVehicle(page.request, headers, id)
  const sent: unknown[] = []
  page.on('request', (request) => request.method() === 'PUT' && request.url().endsWith(`/api/vehicles/${id}`) && sent.push((request.postDataJSON() as { seen_vin_number: string }).seen_vin_number))
  return { id, seen, now, before, headers, sent }
}

/** Returns the outbox entry that asks whether the save belongs to the corrected vehicle. */
async function asked(page: Page, { seen, now }: { seen: string; now: string }) {
  const card = page.getByRole('region', { name: 'Pending saves' }).getByRole('listitem')
  await expect(card).toHaveCount(1)
  await expect(card.getByRole('heading', { name: 'É este o veículo?' })).toBeVisible()
  await expect(card).toContainText(`Você inspecionou ${seen}. O servidor tem ${now} no lugar dele.`)
  await expect(card).toContainText(`Notes: ${NOTE}`)
  await expect(card).toContainText('K-1')
  await expect(card.getByRole('button')).toHaveCount(2)
  for (const button of await card.getByRole('button').all()) expect((await button.boundingBox())?.height).toBeGreaterThanOrEqual(MIN_TAP)
  return card
}

test.use({ viewport: PHONE, serviceWorkers: 'allow' })

test('a save that meets another vehicle shows an error and asks; "Yes" saves it to that one', async ({ page, context }) => {
  const save = await queued(page, context)
  await context.setOffline(false)
  const toast = toastOfKind(page, 'error', `É este o veículo? Você inspecionou ${save.seen}. O servidor tem ${save.now} no lugar dele.`)
  await toast.click()
  await expect(page).toHaveURL(/\/outbox$/)
  const card = await asked(page, save)
  await takeScreenshot(page, 'outbox-other-car')
  expect(await fetchVehicle(page.request, save.headers, save.id)).toEqual(save.before)
  await card.getByRole('button', { name: `Yes, save to ${save.now}` }).click()
  await expect(page.getByText('Tudo enviado.')).toBeVisible()
  expect(await fetchVehicle(page.request, save.headers, save.id)).toMatchObject({ vin_number: save.now, status: 'ng', operator_notes: NOTE, inspected: true })
  expect(save.sent).toEqual([save.seen, save.now])
})

test('a save that meets another vehicle stays with neither answer, and "Discard" leaves the server untouched', async ({ page, context }) => {
  const save = await queued(page, context)
  await context.setOffline(false)
  await page.getByRole('link', { name: '1 pending save, 1 rejected' }).click()
  await asked(page, save)
  await page.reload()
  const card = await asked(page, save)
  await page.evaluate(() => window.dispatchEvent(new Event('online')))
  await card.getByRole('button', { name: `Discard the inspection of ${save.seen}` }).click()
  await page.getByRole('button', { name: 'YES', exact: true }).click()
  await expect(page.getByText('Tudo enviado.')).toBeVisible()
  expect(await fetchVehicle(page.request, save.headers, save.id)).toEqual(save.before)
  expect(save.sent).toEqual([save.seen])
})

test('a save that meets another vehicle while its person waits asks at once', async ({ page }) => {
  const headers = await getHeaders(page.request, supervisor)
  const { model, vehicles } = await importUniqueCampaign(page.request, headers, 'Other car at once', createRowsInYard('K', 1))
  const [{ id, vin_number: seen }] = vehicles as [Vehicle]
  const now = `${model} NEW7`
  await openAs(page, await createMember(page.request, 'op'), `/vehicle/${id}`)
  await typeIdentifier(page, seen)
  await page.getByRole('group', { name: 'Select Status' }).getByRole('button', { name: 'ok', exact: true }).click()
  let corrected = false
  // The correction arrives at the server during the save, so that the screen still shows the old identifier.
  await page.route(`**/api/vehicles/${id}`, async (route) => {
    if (route.request().method() !== 'PUT' || corrected) return route.fallback()
    corrected = true
    expect((await page.request.put(`/api/vehicles/${id}`, { headers, data: { vin_number: now } })).status()).toBe(200)
    return route.fallback()
  })
  await page.getByRole('button', { name: 'Save and Exit' }).click()
  const dialog = page.getByRole('dialog', { name: 'É este o veículo?' })
  await expect(dialog).toContainText(`Você inspecionou ${seen}. O servidor tem ${now} no lugar dele.`)
  await takeScreenshot(page, 'vehicle-other-car')
  for (const button of await dialog.getByRole('button').all()) expect((await button.boundingBox())?.height).toBeGreaterThanOrEqual(MIN_TAP)
  await dialog.getByRole('button', { name: `Yes, save to ${now}` }).click()
  await expect(page).toHaveURL(/\/campaign\/\d+$/)
  await expect.poll(() => fetchVehicle(page.request, headers, id)).toMatchObject({ vin_number: now, status: 'ok', inspected: true })
})

test('a save of a vehicle that is gone stays readable on the phone until it is discarded', async ({ page, context }) => {
  const save = await queued(page, context)
  const { campaign_id } = save.before as { campaign_id: number }
  expect((await page.request.delete(`/api/campaigns/${campaign_id}`, { headers: save.headers })).ok()).toBe(true)
  await context.setOffline(false)
  await page.getByRole('link', { name: '1 pending save, 1 rejected' }).click()
  const card = page.getByRole('region', { name: 'Pending saves' }).getByRole('listitem')
  for (const text of [save.seen, 'ng', `Notes: ${NOTE}`, 'K-1', 'O veículo ou a campanha foi excluído. Descarte esta inspeção.']) await expect(card).toContainText(text)
  await page.reload()
  await expect(card).toContainText(NOTE)
  await takeScreenshot(page, 'outbox-gone')
  await card.getByRole('button', { name: `Discard the inspection of ${save.seen}` }).click()
  await page.getByRole('button', { name: 'YES', exact: true }).click()
  await expect(page.getByText('Tudo enviado.')).toBeVisible()
})
