import { expect, test, type Page } from './support/test'
import { createEmptyScene, createSceneCamera, createLabelScene } from './support/film'
import { createHandScanner, keystrokesOf } from './support/handScanner'
import { getHeaders } from './support/session'
import { supervisor } from './support/people'
import { fetchVehicles } from './support/campaign'
import { findCarAt, openOnPhone, expectNoUncaughtErrors, importYard, type Yard } from './support/yard'

const CARS = 10
/** Median time in milliseconds from a scan to the next car that a person may not have to wait longer than. */
const MEDIAN_MS = 1500

test.afterEach(expectNoUncaughtErrors)

/** Records the taps of the person, by the page's clock. */
const watchTaps = (page: Page) =>
  page.addInitScript(() => {
    const taps: number[] = []
    Object.assign(window, { taps })
    addEventListener('click', ({ isTrusted, target }) => isTrusted && (target as Element).closest('button, a, label, summary') && taps.push(performance.now()), { capture: true })
  })
/** Returns the number of taps since the last call. */
const tapsOf = (page: Page): Promise<number> => page.evaluate(() => (window as unknown as { taps: number[] }).taps.splice(0).length)

const median = (values: number[]): number => values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN

interface Round {
  taps: number
  /** Milliseconds from the scan to the saved car. */
  ms: number
}

/** Expects at most this many taps a car, and the median below the limit. Notes both in the report. */
function expectQuick(title: string, rounds: Round[], taps: number): void {
  const times = rounds.map(({ ms }) => Math.round(ms))
  const words = `${title}: ${Math.max(...rounds.map((round) => round.taps))} taps, median ${median(times)} ms, all ${times.join(', ')}`
  test.info().annotations.push({ type: 'ten cars', description: words })
  expect(rounds).toHaveLength(CARS)
  for (const round of rounds) expect(round.taps).toBeLessThanOrEqual(taps)
  expect(median(times)).toBeLessThanOrEqual(MEDIAN_MS)
}

const vinsOf = (model: string) => Array.from({ length: CARS }, (_, index) => `${model} ${String(index + 1).padStart(6, '0')}`)
const vinAt = (yard: Yard, index: number) => findCarAt(yard, `A-${index + 1}`).vin

async function expectInspected(page: Page, yard: Yard): Promise<void> {
  const headers = await getHeaders(page.request, supervisor)
  await expect.poll(async () => (await fetchVehicles(page.request, headers, yard.campaign)).map(({ status }) => status), { timeout: 20_000 }).toEqual(Array.from({ length: CARS }, () => 'ok'))
}

for (const [title, oneTap] of [['two taps', false], ['one tap', true]] as const) {
  test(`ten cars are walked with the camera, each in ${title}`, async ({ browser, request, baseURL }) => {
    const vins = vinsOf(oneTap ? 'TENA' : 'TENB')
    const yard = await importYard(request, vins)
    const camera = await createSceneCamera({ nothing: createEmptyScene(), ...Object.fromEntries(vins.map((vin) => [vin, createLabelScene('Code128', vin)])) })
    const page = await openOnPhone(browser, baseURL ?? '', `/campaign/${yard.campaign}/walk`, { prepare: async (made) => {
      await camera.prepare(made)
      await watchTaps(made)
    } })
    await expect(page.getByText(`${CARS} left`)).toBeVisible()
    if (oneTap) await page.getByRole('switch', { name: 'One tap saves' }).check()
    const rounds: Round[] = []
    for (const [index, vin] of vins.entries()) {
      await tapsOf(page)
      await camera.show(page, vin)
      const sheet = page.getByRole('dialog', { name: `Vehicle ${vin}` })
      await expect(sheet).toBeVisible()
      const scanned = await page.evaluate(() => performance.now())
      await sheet.getByRole('button', { name: 'ok', exact: true }).click()
      if (!oneTap) await sheet.getByRole('button', { name: 'Save as ok' }).click()
      await expect(sheet).toHaveCount(0)
      rounds.push({ taps: await tapsOf(page), ms: (await page.evaluate(() => performance.now())) - scanned })
      await expect(page.getByText(index + 1 < CARS ? `${CARS - index - 1} left` : 'Todos os veículos daqui foram inspecionados.')).toBeVisible()
    }
    expectQuick(`walk, ${title}`, rounds, oneTap ? 1 : 2)
    await expectInspected(page, yard)
  })
}

test('ten cars are inspected on the vehicle page with a hand scanner, each in two taps and without scrolling', async ({ browser, request, baseURL }) => {
  const yard = await importYard(request, vinsOf('TENC'))
  const page = await openOnPhone(browser, baseURL ?? '', `/vehicle/${findCarAt(yard, 'A-1').id}`, { prepare: watchTaps })
  const scan = await createHandScanner(page)
  const rounds: Round[] = []
  for (let index = 0; index < CARS; index++) {
    await expect(page).toHaveURL(new RegExp(`/vehicle/${findCarAt(yard, `A-${index + 1}`).id}$`))
    await expect(page.getByRole('button', { name: 'Scan', exact: true })).toBeVisible()
    const isLast = index + 1 === CARS
    await tapsOf(page)
    await expect(async () => { // a busy machine may type as slowly as a person, so the typing is retried
      await scan(...keystrokesOf(vinAt(yard, index)), 'Enter')
      await expect(page.getByRole('group', { name: 'Select Status' })).toBeFocused({ timeout: 1000 })
    }).toPass()
    const scanned = await page.evaluate(() => performance.now())
    await page.getByRole('button', { name: 'ok', exact: true }).click()
    expect(await page.evaluate(() => scrollY)).toBe(0)
    await page.getByRole('button', { name: isLast ? 'Save and Exit' : 'Save and Go Next' }).click()
    await expect(isLast ? page.getByRole('heading', { name: yard.name }) : page.getByRole('button', { name: 'Ir agora' })).toBeVisible()
    rounds.push({ taps: await tapsOf(page), ms: (await page.evaluate(() => performance.now())) - scanned })
    if (index > 0 && !isLast) await page.getByRole('button', { name: 'Ir agora' }).click() // only the first time, the next car comes by itself
  }
  expectQuick('vehicle page', rounds, 2)
  await expectInspected(page, yard)
})
