import { expect, test } from './support/test'
import { chooseMenuAction } from './support/campaignActions'
import { importUniqueCampaign, createRowsInYard, saveVehicle, fetchVehicle, type Vehicle } from './support/campaign'
import { openNotes } from './support/parts'
import { supervisor } from './support/people'
import { DESK, SIZES, takeScreenshot } from './support/screenshots'
import { openAs, getHeaders, waitForServiceWorker, createMember, waitForRequests } from './support/session'

const WITHIN_MS = 2000

for (const viewport of SIZES) {
  test.describe(`at ${viewport.width}`, () => {
    test.use({ viewport, serviceWorkers: 'allow' })

    test('what others save is on open screens within two seconds, and who works how fast is seen', async ({ page, context }) => {
      const headers = await getHeaders(page.request, supervisor)
      const { id, name, vehicles } = await importUniqueCampaign(page.request, headers, 'Live', createRowsInYard('K', 3))
      const [first, second] = vehicles as [Vehicle, Vehicle]
      const operator = await createMember(page.request, 'op')
      const theirs = await getHeaders(page.request, operator)
      await openAs(page, supervisor, `/campaign/${id}/vehicles`)
      const row = page.locator('main').getByRole(viewport.width < 768 ? 'listitem' : 'row').filter({ hasText: first.vin_number })
      await expect(row.getByText('Not inspected')).toBeVisible()
      const other = await context.newPage()
      await openAs(other, supervisor, `/vehicle/${second.id}`)
      await expect(other.getByText('Ainda sem alterações.')).toBeVisible()
      await waitForRequests(page)
      await waitForRequests(other)

      await saveVehicle(page.request, theirs, first.id, { status: 'ng' })
      await expect(row.getByText('ng', { exact: true })).toBeVisible({ timeout: WITHIN_MS })
      await saveVehicle(page.request, theirs, second.id, { status: 'ok', operator_notes: 'left door' })
      await expect(other.getByLabel('Operator / Team Leader Notes')).toHaveValue('left door', { timeout: WITHIN_MS })
      await other.close()

      await page.goto(`/campaign/${id}`)
      if (viewport.width < 900) await page.locator('summary').filter({ hasText: 'Working now' }).click()
      const pace = page.getByRole('region', { name: 'Working now' })
      await expect(pace).toContainText(operator.hmc)
      await expect(pace).toContainText('Yard K')
      await expect(pace).toContainText(/\d+ (veículo|veículos) por hora/)
      await expect(page.getByText('2 / 3', { exact: true })).toBeVisible()
      await takeScreenshot(page, 'campaign-pace')
      await page.goto(`/campaign-home?search=${encodeURIComponent(name)}`)
      await expect(pace).toContainText(name)
      await takeScreenshot(page, 'home-pace')
    })

    test('a field that two people changed keeps both values, is settled in one tap, and shows who saved it', async ({ page, browser, context, baseURL }) => {
      const headers = await getHeaders(page.request, supervisor)
      const { id, vehicles } = await importUniqueCampaign(page.request, headers, 'Both sides', createRowsInYard('K', 3))
      const [first] = vehicles as [Vehicle]
      const operator = await createMember(page.request, 'op')
      await openAs(page, operator, `/vehicle/${first.id}`)
      await expect(page.getByRole('button', { name: 'Save and Exit' })).toBeVisible()
      await waitForServiceWorker(page)
      await context.setOffline(true)
      await page.getByRole('button', { name: 'Manual' }).click()
      await page.getByLabel('Vehicle identifier').fill(first.vin_number)
      await page.getByRole('group', { name: 'Select Status' }).getByRole('button', { name: 'ok', exact: true }).click()
      await (await openNotes(page)).fill('all fine here')
      await page.getByRole('button', { name: 'Save and Exit' }).click()
      await expect(page.getByRole('link', { name: '1 pending save' })).toBeVisible()
      await expect(page).toHaveURL(/\/campaign\/\d+$/) // no screen waits for the response any more
      await saveVehicle(page.request, headers, first.id, { status: 'ng' })
      await context.setOffline(false)
      await expect(page.getByRole('link', { name: /pending saves?/ })).toHaveCount(0)
      // the vehicle has the more cautious status, the other one becomes a conflict, and the note is saved, since no other user changed it
      const merged = { status: 'ng', operator_notes: 'all fine here', open_conflicts: 1 }
      await expect.poll(() => fetchVehicle(page.request, headers, first.id)).toMatchObject(merged)
      await page.goto('/outbox')
      await expect(page.getByRole('region', { name: 'Your conflicts' })).toContainText('Aguardando um líder de equipe ou supervisor.')

      const desk = await browser.newContext({ baseURL, viewport, locale: 'pt-BR', serviceWorkers: 'block' })
      const leader = await desk.newPage()
      await openAs(leader, supervisor, `/campaign/${id}`)
      await leader.getByRole('link', { name: '1 conflict' }).click()
      await expect(leader.getByText('Current value')).toBeVisible()
      await expect(leader.getByText(first.parking_space, { exact: true })).toBeVisible()
      const middles = await leader.getByText('Current value').locator('..').evaluate((head) => [...head.children].map((part) => part.getBoundingClientRect()).map(({ y, height }) => y + height / 2))
      if (viewport === DESK) expect(Math.abs((middles[0] ?? 0) - (middles[1] ?? 9)), 'status and mark are on one line').toBeLessThanOrEqual(1)
      await takeScreenshot(leader, 'conflicts')
      const keep = leader.getByRole('button', { name: `Keep ok by ${operator.hmc} for ${first.vin_number}` })
      await expect(keep).toBeVisible()
      if (viewport === DESK) {
        await expect(leader.getByRole('table', { name: 'Conflicts' }).getByRole('columnheader')).toHaveText(['Parking Space', 'VIN Number', 'Field', '1. First value', '2. Second value', 'When'])
        for (const width of [1024, DESK.width]) {
          await leader.setViewportSize({ width, height: DESK.height })
          const [one, two] = await leader.getByRole('columnheader', { name: /value$/ }).evaluateAll((heads) => heads.map((head) => head.getBoundingClientRect().width))
          expect(Math.abs((one ?? 0) - (two ?? 9)), `both values have the same width at ${width}`).toBeLessThanOrEqual(1)
          const [left, right] = await leader.getByRole('button', { name: /^Keep / }).evaluateAll((buttons) => buttons.map((button) => button.getBoundingClientRect()))
          expect([left?.y, left?.height], `both buttons are on one line at ${width}`).toEqual([right?.y, right?.height])
        }
        await leader.getByRole('row').filter({ has: keep }).focus()
        await leader.keyboard.press('2')
      } else await keep.click()
      await expect(page.getByText(`${first.vin_number}: ${supervisor.hmc} manteve o seu valor.`)).toBeVisible() // before the toast ends
      await expect(leader.getByText('Nenhum conflito.', { exact: false })).toBeVisible()
      await leader.getByRole('tab', { name: 'Resolved' }).click()
      await expect(leader.getByText(`Kept by ${supervisor.hmc}`)).toBeVisible()
      await takeScreenshot(leader, 'conflicts-settled')
      await desk.close()

      await expect(page.getByRole('region', { name: 'Your conflicts' })).toContainText('manteve o seu valor')
      await takeScreenshot(page, 'outbox-outcome')
      await page.reload()
      await expect(page.getByRole('region', { name: 'Your conflicts' })).toBeVisible()
      await expect(page.getByText(`${first.vin_number}: ${supervisor.hmc} manteve`, { exact: false })).toHaveCount(0)
      expect(await fetchVehicle(page.request, headers, first.id)).toMatchObject({ status: 'ok', open_conflicts: 0 })
    })
  })
}

test('closing a campaign warns of what phones still hold', async ({ page, browser, baseURL }) => {
  const headers = await getHeaders(page.request, supervisor)
  const { id, vehicles: [first] } = await importUniqueCampaign(page.request, headers, 'Held', createRowsInYard('K', 2))
  const operator = await createMember(page.request, 'op')
  const phone = await browser.newContext({ baseURL, viewport: SIZES[0], locale: 'pt-BR', serviceWorkers: 'block' })
  const work = await phone.newPage()
  await work.route(`**/api/vehicles/${first?.id}*`, (route) => (route.request().method() === 'PUT' ? route.fulfill({ status: 503, json: { code: 'UNAVAILABLE', message: 'in a moment' } }) : route.fallback()))
  await openAs(work, operator, `/vehicle/${first?.id}`)
  await work.getByRole('button', { name: 'Manual' }).click()
  await work.getByLabel('Vehicle identifier').fill(first?.vin_number ?? '')
  await work.getByRole('group', { name: 'Select Status' }).getByRole('button', { name: 'ok', exact: true }).click()
  const report = work.waitForResponse((response) => response.url().endsWith('/held') && response.request().method() === 'PUT')
  await work.getByRole('button', { name: 'Save and Exit' }).click()
  await expect(work.getByRole('link', { name: '1 pending save' })).toBeVisible()
  expect((await report).status()).toBe(204)

  await openAs(page, supervisor, `/campaign/${id}`)
  await page.request.put(`/api/campaigns/${id}`, { headers, data: { status: 'Ongoing' } })
  await page.reload()
  await chooseMenuAction(page, 'Close campaign')
  const question = page.getByRole('dialog')
  await expect(question).toContainText('1 inspeção desta campanha ainda está em um telefone.')
  await expect(question).toContainText(operator.hmc)
  await takeScreenshot(page, 'campaign-closing-held')
  await page.getByRole('button', { name: 'NO', exact: true }).click()

  await work.unroute(`**/api/vehicles/${first?.id}*`)
  await expect(work.getByRole('link', { name: /pending saves?/ })).toHaveCount(0)
  await expect.poll(async () => ((await (await page.request.get(`/api/campaigns/${id}/held`, { headers })).json()) as { saves: number }).saves).toBe(0)
  await phone.close()
})
