import { expect, test } from '@playwright/test'
import { campaignOf, rowsIn, rowsOver, uploaded, vehicleOf, type Vehicle } from './support/campaign'
import { supervisor, unique } from './support/people'
import { PHONE, SIZES, shot } from './support/screenshots'
import { enter, headersOf, keptByPhone, member, quiet } from './support/session'

const VEHICLES = 20_000
/** As the developer tools slow a processor down to that of a phone. */
const SLOWER = 4
const OPEN_MS = 300
const KEY_MS = 50
const KEYS = 'HB20 0199'
const ROUNDS = 3

const median = (times: number[]): number => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0

for (const viewport of SIZES) {
  test.describe(`at ${viewport.width}`, () => {
    test.use({ viewport, serviceWorkers: 'allow' })

    test('a campaign that was taken along is picked, searched, inspected and counted without a signal', async ({ page, context }) => {
      const headers = await headersOf(page.request, supervisor)
      const { id, name, vehicles } = await campaignOf(page.request, headers, 'Along', [...rowsIn('K', 3), ...rowsIn('A', 2, 501)])
      const [first, second] = vehicles.filter(({ parking_space }) => parking_space.startsWith('K')) as [Vehicle, Vehicle]
      const operator = await member(page.request, 'op')
      await enter(page, operator, `/campaign/${id}`)
      await page.getByRole('button', { name: 'Take this campaign along' }).click()
      await expect(page.getByText('Pronto: esta lista funciona sem sinal.')).toBeVisible()
      await expect(page.getByText('5 veículos neste telefone.')).toBeVisible()
      await shot(page, 'campaign-along')
      await keptByPhone(page)
      await context.setOffline(true)

      await page.goto('/campaign-home')
      await expect(page.getByText('Sem sinal: você vê o que está neste telefone.')).toBeVisible()
      await page.getByRole('searchbox').fill(name)
      await expect(page.locator('main').getByText('0 / 5', { exact: true })).toBeVisible()
      await shot(page, 'home-along')
      await page.goto(`/yard?campaign=${id}`)
      await expect(page.getByRole('link', { name: /^Yard K / })).toContainText('0/3')
      await page.goto(`/yard/18?campaign=${encodeURIComponent(name)}`)
      await page.getByRole('link', { name, exact: true }).click()
      await expect(page).toHaveURL(new RegExp(`/campaign/${id}\\?yard=18$`))
      await page.getByRole('button', { name: 'Start campaign' }).click()
      await expect(page).toHaveURL(new RegExp(`/vehicle/${first.id}\\?yard=18$`))
      await expect(page.getByText('Deste veículo só a linha da lista está neste telefone.', { exact: false })).toBeVisible()
      await page.getByRole('button', { name: 'Manual' }).click()
      await page.getByLabel('Vehicle identifier').fill(first.vin_number)
      await page.getByRole('group', { name: 'Select Status' }).getByRole('button', { name: 'ng', exact: true }).click()
      await shot(page, 'vehicle-along')
      await page.getByRole('button', { name: 'Save and Go Next' }).click()
      await page.getByText('Ir agora').click()
      await expect(page).toHaveURL(new RegExp(`/vehicle/${second.id}\\?yard=18$`))

      await page.goto(`/campaign/${id}/vehicles`)
      await page.getByRole('searchbox').fill(first.vin_number)
      await expect(page.locator('main').getByText('ng', { exact: true }).first()).toBeVisible()
      await page.goto(`/campaign/${id}`)
      await expect(page.getByText('1 / 5')).toBeVisible()
      await expect(page.getByText('1 inspeção contada aqui ainda está só neste telefone.')).toBeVisible()
      await page.goto(`/campaign/${id}/walk?yard=18`)
      await expect(page.getByText('2 left')).toBeVisible()

      await context.setOffline(false)
      await expect(page.getByRole('link', { name: /waits? on this phone$/ })).toHaveCount(0)
      expect(await vehicleOf(page.request, headers, first.id)).toMatchObject({ status: 'ng', modified_by_hmc: operator.hmc })
      await page.goto('/outbox')
      await expect(page.getByRole('region', { name: 'Taken along' })).toContainText(name)
      await shot(page, 'outbox-taken')
      await page.getByRole('button', { name: `Remove ${name} from this phone` }).click()
      await page.getByRole('button', { name: 'YES', exact: true }).click()
      await expect(page.getByText('Nenhuma lista.', { exact: false })).toBeVisible()
    })

    test('one yard is taken along, and what stands elsewhere is not', async ({ page, context }) => {
      const headers = await headersOf(page.request, supervisor)
      const { id } = await campaignOf(page.request, headers, 'One yard', [...rowsIn('K', 3), ...rowsIn('A', 2, 501)])
      await enter(page, await member(page.request, 'op'), `/campaign/${id}?yard=18`)
      await page.getByRole('button', { name: 'Take yard K along' }).click()
      await expect(page.getByText('3 veículos de alguns pátios neste telefone.')).toBeVisible()
      await keptByPhone(page)
      await context.setOffline(true)
      await page.goto(`/campaign/${id}?yard=18`)
      await expect(page.getByText('0 / 3')).toBeVisible()
      await page.goto(`/campaign/${id}/vehicles`)
      await expect(page.getByRole('button', { name: /^All 3$/ })).toBeVisible()
    })
  })
}

test.describe('twenty thousand vehicles', () => {
  test.use({ viewport: PHONE, serviceWorkers: 'allow' })
  test.setTimeout(240_000)

  test('a list of twenty thousand that was taken along opens and is searched without waiting, on a slow phone', async ({ page, context }, info) => {
    let id = 0
    await expect(async () => {
      id = await uploaded(page.request, await headersOf(page.request, supervisor), unique('Twenty'), rowsOver(VEHICLES))
    }).toPass({ timeout: 120_000 })
    await enter(page, supervisor, `/campaign/${id}`)
    await page.getByRole('button', { name: 'Take this campaign along' }).click()
    await expect(page.getByText('Pronto: esta lista funciona sem sinal.')).toBeVisible({ timeout: 60_000 })
    await keptByPhone(page)
    await context.setOffline(true)
    const session = await context.newCDPSession(page)
    const opened: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      await page.goto('/campaign-home') // a new page: nothing of the list is in memory
      await expect(page.getByText('0 / 20 000').first()).toBeVisible()
      await quiet(page)
      await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWER })
      opened.push(await page.evaluate(async (path) => {
        const begun = performance.now()
        history.pushState(null, '', path)
        while (document.querySelectorAll('main ul > li').length !== 10 || location.pathname !== path) await new Promise(requestAnimationFrame)
        return performance.now() - begun
      }, `/campaign/${id}/vehicles`))
      await expect(page.getByRole('button', { name: /^All 20 000$/ })).toBeVisible()
      if (round < ROUNDS - 1) await session.send('Emulation.setCPUThrottlingRate', { rate: 1 })
    }
    const search = page.getByRole('searchbox')
    await search.focus()
    await page.evaluate(() => {
      const answered: number[] = []
      Object.assign(window, { answered })
      let begun = 0
      addEventListener('keydown', () => { begun = performance.now() }, true)
      addEventListener('input', () => setTimeout(() => answered.push(performance.now() - begun), 10), true)
    })
    for (let round = 0; round < ROUNDS; round++) {
      await page.keyboard.type(KEYS, { delay: 150 })
      await expect(page.getByRole('button', { name: /^All 100$/ })).toBeVisible()
      await search.evaluate((field: HTMLInputElement) => field.select())
    }
    const answered = await page.evaluate(() => (window as unknown as { answered: number[] }).answered)
    // Other work on the machine only adds to a time, so the least of some rounds is what it costs.
    const keys = [...KEYS].map((_, key) => Math.min(...answered.filter((_time, index) => index % KEYS.length === key)))
    info.annotations.push({ type: 'measured', description: `opened in ${opened.map(Math.round).join(' ')} ms, a key answered in ${keys.map(Math.round).join(' ')} ms` })
    expect(answered).toHaveLength(KEYS.length * ROUNDS)
    expect(Math.min(...opened)).toBeLessThanOrEqual(OPEN_MS)
    expect(median(keys)).toBeLessThanOrEqual(KEY_MS)
    await session.send('Emulation.setCPUThrottlingRate', { rate: 1 })
  })
})
