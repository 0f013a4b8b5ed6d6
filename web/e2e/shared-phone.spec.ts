import { chromium, expect, test, type APIRequestContext, type Page, type Route } from './support/test'
import { importUniqueCampaign, createRowsInYard, fetchVehicle, type Vehicle } from './support/campaign'
import { launchBrowser } from './support/film'
import { typeIdentifier, openNotes } from './support/parts'
import { signIn, supervisor, type Person } from './support/people'
import { watchBrowser } from './support/policy'
import { PHONE, takeScreenshot } from './support/screenshots'
import { getHeaders, createMember } from './support/session'

const OLD_TAB = 'Outra aba está com uma versão antiga aberta. Feche-a para continuar.'
const OTHERS = '1 inspeção de outra pessoa aguarda neste aparelho.'

async function inspect(page: Page, { vin_number }: Vehicle, status: string): Promise<void> {
  await typeIdentifier(page, vin_number)
  await page.getByRole('group', { name: 'Select Status' }).getByRole('button', { name: status, exact: true }).click()
  await page.getByRole('button', { name: 'Save and Exit' }).click()
}

const waits = (page: Page, count: number) => expect(page.getByRole('link', { name: count === 1 ? '1 pending save' : `${count} pending saves` })).toBeVisible()
const nothingWaits = (page: Page) => expect(page.getByRole('link', { name: /pending saves?/ })).toHaveCount(0)
const online = (page: Page) => page.evaluate(() => window.dispatchEvent(new Event('online')))
const person = (page: Page, { hmc }: Person) => expect(page.locator('section').filter({ hasText: 'HMC' }).first()).toContainText(hmc)
const onSaves = '**/api/vehicles/*'

async function carsOf(request: APIRequestContext, title: string, count = 3) {
  const headers = await getHeaders(request, supervisor)
  const { id, name, vehicles } = await importUniqueCampaign(request, headers, title, createRowsInYard('K', count))
  const state = ({ id: vehicle }: Vehicle) => fetchVehicle(request, headers, vehicle)
  return { campaign: id, name, vehicles, first: vehicles[0] as Vehicle, second: vehicles[1] as Vehicle, state }
}

test.use({ viewport: PHONE })

test('two people in two tabs: each save arrives in the name of its maker, and each tab sends its own', async ({ page, context }) => {
  const { first, second, state } = await carsOf(page.request, 'Shared')
  const [one, two] = [await createMember(page.request, 'op'), await createMember(page.request, 'op')]
  const tab = await context.newPage()
  for (const [own, hers, vehicle] of [[page, one, first], [tab, two, second]] as const) {
    await signIn(own, hers)
    await own.goto(`/vehicle/${vehicle.id}`)
    await expect(own.getByRole('button', { name: 'Save and Exit' })).toBeVisible()
  }
  await context.setOffline(true)
  for (const [own, vehicle, status] of [[page, first, 'ng'], [tab, second, 'ok']] as const) {
    await inspect(own, vehicle, status)
    await waits(own, 1)
  }
  await person(page, one)
  await person(tab, two)
  // The first tab holds the lock of its person, and gets no response until it is closed. The other person's save does not wait for it.
  const hung: Route[] = []
  let closing = false
  await page.route(onSaves, (route) => {
    if (route.request().method() !== 'PUT') return route.fallback()
    return closing ? route.abort() : void hung.push(route)
  })
  await context.setOffline(false)
  await online(page)
  await expect.poll(() => hung.length).toBe(1)
  await online(tab)
  await nothingWaits(tab)
  // A request that is still held when its page closes reaches the server, because the browser ends the interception and the lack of a
  // network first. Leaving the page cancels the request and every retry.
  await context.setOffline(true)
  closing = true
  await Promise.all(hung.map((route) => route.abort()))
  await page.goto('about:blank')
  await page.close()
  await context.setOffline(false)
  expect(await state(second)).toMatchObject({ status: 'ok', modified_by_hmc: two.hmc })
  expect(await state(first)).toMatchObject({ status: '', inspected: false })
  await tab.goto('/outbox')
  await expect(tab.getByText(OTHERS, { exact: false })).toBeVisible()
  await expect(tab.getByText(first.vin_number)).toHaveCount(0)
  await person(tab, two)

  const back = await context.newPage()
  await signIn(back, one)
  await person(back, one)
  await expect.poll(async () => (await state(first)).modified_by_hmc).toBe(one.hmc)
  await nothingWaits(back)
  await person(tab, two)
  expect(await state(first)).toMatchObject({ status: 'ng', version: 2 })
  expect(await state(second)).toMatchObject({ modified_by_hmc: two.hmc, version: 2 })
})

test('saves leave by themselves once a network that cut every call lets them through', async ({ page, context }) => {
  const { first, second, state } = await carsOf(page.request, 'Reset')
  await signIn(page, await createMember(page.request, 'op'))
  for (const vehicle of [first, second]) {
    await page.goto(`/vehicle/${vehicle.id}`)
    await expect(page.getByRole('button', { name: 'Save and Exit' })).toBeVisible()
    await context.route('**/api/**', (route) => route.abort('connectionreset'))
    await inspect(page, vehicle, 'ok')
    await waits(page, vehicle === first ? 1 : 2)
    // Saves stay cut at every moment: the pending ones are tried again by themselves as soon as the network lets one through.
    if (vehicle === first) await context.route(onSaves, (route) => (route.request().method() === 'PUT' ? route.abort('connectionreset') : route.fallback()))
    if (vehicle === first) await context.unroute('**/api/**')
  }
  expect(await page.evaluate(() => navigator.onLine)).toBe(true)
  await context.unrouteAll()
  await nothingWaits(page)
  expect([(await state(first)).status, (await state(second)).status]).toEqual(['ok', 'ok'])
})

test('an older tab that keeps the database says so in the newer one, which goes on by itself and loses nothing', async ({ page, context }) => {
  const { campaign, first, second, state } = await carsOf(page.request, 'Upgrade')
  const operator = await createMember(page.request, 'op')
  await signIn(page, operator)
  await page.goto(`/vehicle/${first.id}`)
  await expect(page.getByRole('button', { name: 'Save and Exit' })).toBeVisible()
  await context.route(onSaves, (route) => (route.request().method() === 'PUT' ? route.abort() : route.fallback()))
  await inspect(page, first, 'ng')
  await waits(page, 1)
  await page.evaluate(() => new Promise<void>((resolve) => {
    const opening = indexedDB.open('patio')
    opening.addEventListener('success', () => {
      Object.assign(window, { stubborn: opening.result }) // a connection that ignores upgrades of the database
      resolve()
    })
  }))
  const newer = await context.newPage()
  await newer.addInitScript(() => {
    const { open } = IDBFactory.prototype
    IDBFactory.prototype.open = function raised(name, version) {
      return open.call(this, name, version === undefined ? undefined : version + 1)
    }
  })
  await signIn(newer, operator)
  await expect(newer.getByText(OLD_TAB)).toBeVisible({ timeout: 8000 })
  await newer.goto(`/vehicle/${second.id}`)
  await expect(newer.getByText(OLD_TAB)).toBeVisible({ timeout: 8000 })
  await takeScreenshot(newer, 'old-tab')
  await inspect(newer, second, 'ok')
  await page.evaluate(() => (window as unknown as { stubborn: IDBDatabase }).stubborn.close())
  await expect(newer.getByText(OLD_TAB)).toHaveCount(0)
  await waits(newer, 2)
  await expect(newer).toHaveURL(new RegExp(`/campaign/${campaign}$`))

  await context.unroute(onSaves)
  await online(newer)
  await nothingWaits(newer)
  expect([(await state(first)).status, (await state(second)).status]).toEqual(['ng', 'ok'])
})

test('eight tabs over plain http load at once, share one stream, and the last one saves', async ({ request, baseURL }) => {
  const { campaign, first, state } = await carsOf(request, 'Plain')
  const operator = await createMember(request, 'op')
  const address = new URL(baseURL ?? '')
  const browser = await launchBrowser(`--host-resolver-rules=MAP yard.test ${address.hostname}`)
  const context = await browser.newContext({ baseURL: `http://yard.test:${address.port}`, viewport: PHONE, locale: 'pt-BR', reducedMotion: 'reduce' })
  const streams: Page[] = [] // the page that opened each event stream
  context.on('request', (sent) => sent.url().endsWith('/api/events') && streams.push(sent.frame().page()))
  const [taken, tabs]: [number[], Page[]] = [[], []]
  for (let index = 0; index < 8; index++) {
    const tab = await context.newPage()
    tabs.push(tab)
    await signIn(tab, operator)
    await tab.addInitScript((vin) => {
      const look = () => {
        if (document.body?.textContent?.includes(vin)) Object.assign(window, { shownAt: performance.now() })
        else requestAnimationFrame(look)
      }
      requestAnimationFrame(look)
    }, first.vin_number)
    await tab.goto(index % 2 === 0 ? `/campaign/${campaign}/vehicles` : `/vehicle/${first.id}`)
    await expect(tab.getByText(first.vin_number).first()).toBeVisible()
    const shownAt = () => tab.evaluate(() => (window as unknown as { shownAt?: number }).shownAt ?? 0)
    await expect.poll(shownAt).toBeGreaterThan(0)
    taken.push(await shownAt())
  }
  expect(await tabs[0]?.evaluate(() => [window.isSecureContext, 'locks' in navigator, 'subtle' in crypto])).toEqual([false, false, false])
  expect(Math.max(...taken), taken.join()).toBeLessThan(3000)
  const last = tabs.at(-1) as Page
  await inspect(last, first, 'ok')
  await expect.poll(async () => (await state(first)).status).toBe('ok')
  await expect((tabs[0] as Page).getByText(/^ok$/i).first()).toBeVisible()
  expect(streams.length).toBeLessThanOrEqual(2)
  await test.step('when the tab that reads the stream is closed, another one reads it', async () => {
    const before = streams.length
    await streams.at(-1)?.close()
    await expect.poll(() => streams.length).toBeGreaterThan(before)
  })
  await browser.close()
})

const NOTE = 'a note of the first person'
const asBrowsersDo = ['--no-sandbox', '--disable-dev-shm-usage', '--disable-background-networking', '--disable-gpu']

for (const way of ['signs out', 'lets another person sign in'] as const) {
  test(`a page that the browser kept shows nothing of a person who ${way} meanwhile`, async ({ request, baseURL }) => {
    const { first } = await carsOf(request, 'Kept page')
    const [one, two] = [await createMember(request, 'op'), await createMember(request, 'op')]
    const browser = watchBrowser(await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', ignoreDefaultArgs: ['--disable-back-forward-cache'], args: asBrowsersDo }))
    const page = await browser.newPage({ baseURL, viewport: PHONE, locale: 'pt-BR', serviceWorkers: 'block', reducedMotion: 'reduce' })
    // Chromium evicts a page from the back/forward cache when another page requests its lock or messages it; other browsers do not.
    await page.addInitScript(() => {
      Object.defineProperty(navigator, 'locks', { value: undefined })
      Reflect.deleteProperty(globalThis, 'BroadcastChannel')
    })
    await page.route('**/api/events', (route) => route.abort())
    const back = () => page.goBack({ waitUntil: 'commit' }) // a page from the back/forward cache fires no load event
    await signIn(page, one)
    await page.goto(`/vehicle/${first.id}`)
    await (await openNotes(page)).fill(NOTE)
    await page.evaluate(() => window.addEventListener('pageshow', ({ persisted }) => {
      const shown = () => (document.body.hidden ? '' : [document.body.innerText, ...Array.from(document.querySelectorAll('textarea'), ({ value }) => value)].join('\n'))
      if (persisted) queueMicrotask(() => localStorage.setItem('test kept', shown())) // the first content that is visible
    }))
    const whenKept = () => page.evaluate(() => localStorage.getItem('test kept')).catch(() => undefined) // the page may be loading
    await page.goto('/favicon.svg')
    await test.step('the same person finds the page unchanged', async () => {
      await back()
      await expect(page.getByLabel('Operator / Team Leader Notes')).toHaveValue(NOTE)
      await expect.poll(whenKept, 'the browser kept the page').toMatch(new RegExp(`${one.hmc}[^]*${NOTE}`))
    })
    await page.goto('/campaign-home')
    await page.getByRole('button', { name: 'Open menu' }).click()
    await page.getByRole('button', { name: 'Logout' }).click()
    await expect(page.getByRole('form', { name: 'Sign in' })).toBeVisible()
    await page.evaluate(() => localStorage.removeItem('test kept'))
    if (way !== 'signs out') await signIn(page, two)
    for (let steps = 0; steps < 3 && typeof (await whenKept()) !== 'string'; steps++) {
      await back()
      await expect.poll(whenKept).toBeDefined()
    }
    await expect.poll(whenKept, 'the browser kept the page').toEqual(expect.any(String))
    expect(await whenKept()).not.toMatch(new RegExp(`${one.hmc}|${NOTE}|${first.vin_number}`))
    await expect(page.getByText(one.hmc)).toHaveCount(0)
    if (way === 'signs out') await expect(page.getByRole('form', { name: 'Sign in' })).toBeVisible()
    else {
      await expect(page.getByText(two.hmc, { exact: true })).toBeVisible()
      await expect(page.getByLabel('Operator / Team Leader Notes')).toHaveValue('')
    }
    await browser.close()
  })
}
