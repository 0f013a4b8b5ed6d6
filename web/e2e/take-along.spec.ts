import { expect, test } from './support/test'
import { makeAvailableOffline } from './support/campaignActions'
import { importUniqueCampaign, createRowsInYard, fetchVehicle, type Vehicle } from './support/campaign'
import { supervisor } from './support/people'
import { PHONE, takeScreenshot } from './support/screenshots'
import { openAs, getHeaders, waitForServiceWorker, createMember } from './support/session'

test.use({ viewport: PHONE, serviceWorkers: 'allow' })

test('a campaign that was taken along is picked, searched, inspected and counted without a signal', async ({ page, context }) => {
  const headers = await getHeaders(page.request, supervisor)
  const { id, name, vehicles } = await importUniqueCampaign(page.request, headers, 'Along', [...createRowsInYard('K', 3), ...createRowsInYard('A', 2, 501)])
  const [first, second] = vehicles.filter(({ parking_space }) => parking_space.startsWith('K')) as [Vehicle, Vehicle]
  const operator = await createMember(page.request, 'op')
  await openAs(page, operator, `/campaign/${id}`)
  await makeAvailableOffline(page)
  await expect(page.getByText('Pronto. Esta lista já funciona offline.')).toBeVisible()
  await expect(page.getByText('5 veículos disponíveis offline.')).toBeVisible()
  await takeScreenshot(page, 'campaign-along')
  await waitForServiceWorker(page)
  await context.setOffline(true)

  await page.goto('/campaign-home')
  await expect(page.getByText('Sem conexão. Só aparece o que está salvo neste aparelho.')).toBeVisible()
  await page.getByRole('searchbox').fill(name)
  await expect(page.locator('main').getByText('0 / 5', { exact: true })).toBeVisible()
  await takeScreenshot(page, 'home-along')
  await page.goto(`/yard?campaign=${id}`)
  await expect(page.getByRole('link', { name: /^Yard K / })).toContainText('0/3')
  await page.goto(`/yard/18?campaign=${encodeURIComponent(name)}`)
  await page.getByRole('link', { name, exact: true }).click()
  await expect(page).toHaveURL(new RegExp(`/campaign/${id}\\?yard=18$`))
  await page.getByRole('button', { name: 'Start campaign' }).click()
  await expect(page).toHaveURL(new RegExp(`/vehicle/${first.id}\\?yard=18$`))
  await expect(page.getByText('Sem conexão: só os dados da lista deste veículo estão disponíveis.', { exact: false })).toBeVisible()
  await page.getByRole('button', { name: 'Manual' }).click()
  await page.getByLabel('Vehicle identifier').fill(first.vin_number)
  await page.getByRole('group', { name: 'Select Status' }).getByRole('button', { name: 'ng', exact: true }).click()
  await takeScreenshot(page, 'vehicle-along')
  await page.getByRole('button', { name: 'Save and Go Next' }).click()
  await page.getByText('Ir agora').click()
  await expect(page).toHaveURL(new RegExp(`/vehicle/${second.id}\\?yard=18$`))

  await page.goto(`/campaign/${id}/vehicles`)
  await page.getByRole('searchbox').fill(first.vin_number)
  await expect(page.locator('main').getByText('ng', { exact: true }).first()).toBeVisible()
  await page.goto(`/campaign/${id}`)
  await expect(page.getByText('1 / 5')).toBeVisible()
  await expect(page.getByText('Inclui 1 inspeção ainda não enviada.')).toBeVisible()
  await page.goto(`/campaign/${id}/walk?yard=18`)
  await expect(page.getByText('2 left')).toBeVisible()

  await context.setOffline(false)
  await expect(page.getByRole('link', { name: /pending saves?/ })).toHaveCount(0)
  expect(await fetchVehicle(page.request, headers, first.id)).toMatchObject({ status: 'ng', modified_by_hmc: operator.hmc })
  await page.goto('/outbox')
  await expect(page.getByRole('region', { name: 'Available offline' })).toContainText(name)
  await takeScreenshot(page, 'outbox-taken')
  await page.getByRole('button', { name: `Remove ${name} from this device` }).click()
  await page.getByRole('button', { name: 'YES', exact: true }).click()
  await expect(page.getByText('Nenhuma campanha disponível offline ainda.', { exact: false })).toBeVisible()
})

test('one yard is taken along, and what stands elsewhere is not', async ({ page, context }) => {
  const headers = await getHeaders(page.request, supervisor)
  const { id } = await importUniqueCampaign(page.request, headers, 'One yard', [...createRowsInYard('K', 3), ...createRowsInYard('A', 2, 501)])
  await openAs(page, await createMember(page.request, 'op'), `/campaign/${id}?yard=18`)
  await makeAvailableOffline(page, 'Make yard K available offline')
  await expect(page.getByText('3 veículos dos pátios escolhidos disponíveis offline.')).toBeVisible()
  await waitForServiceWorker(page)
  await context.setOffline(true)
  await page.goto(`/campaign/${id}?yard=18`)
  await expect(page.getByText('0 / 3')).toBeVisible()
  await page.goto(`/campaign/${id}/vehicles`)
  await expect(page.getByRole('button', { name: /^All 3$/ })).toBeVisible()
})
