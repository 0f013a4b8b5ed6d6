import { expect, test } from './support/test'
import { createLabelScene, runWithFilm } from './support/film'
import { waitForRequests } from './support/session'
import { findCarAt, openOnPhone, expectNoUncaughtErrors, importYard } from './support/yard'

const HERE = 'HB20 000123'
const ENGINE = /\.wasm$|\/(worker|scanner|detector)-[^/]*\.js$/

test.afterEach(expectNoUncaughtErrors)

test('scanner and engine come when a screen wants them, from here alone, and then need no network', async ({ request, baseURL }) => {
  const yard = await importYard(request, [HERE])
  await runWithFilm([createLabelScene('Code39', HERE, { turn: 15 })], async (browser) => {
    const asked: string[] = []
    const page = await openOnPhone(browser, baseURL ?? '', '/campaign-home', { hasTouch: true }) // only touch screens load the scanner in advance
    page.on('request', (sent) => asked.push(sent.url()))
    page.on('worker', () => asked.push('a worker'))
    await page.goto('/campaign-home')
    await expect(page.getByRole('searchbox')).toBeVisible()
    await page.goto(`/campaign/${yard.campaign}`)
    await expect(page.getByRole('link', { name: 'Walk and scan' })).toBeVisible()
    expect(asked.filter((url) => ENGINE.test(url) || url === 'a worker')).toEqual([])

    const engine = page.waitForResponse((response) => response.url().endsWith('.wasm'))
    await page.goto(`/vehicle/${findCarAt(yard, 'A-1').id}`)
    await (await engine).finished()
    await expect(page.getByRole('button', { name: 'Scan', exact: true })).toBeEnabled()
    await waitForRequests(page)
    await page.context().setOffline(true)
    await page.getByRole('button', { name: 'Scan', exact: true }).click()
    await expect(page.getByLabel('Vehicle identifier')).toHaveValue(HERE)
    await expect(page.getByText('O identificador confere com este veículo.')).toBeVisible()
    const origin = new URL(baseURL ?? '').origin
    expect(asked.filter((url) => url.startsWith('http') && new URL(url).origin !== origin)).toEqual([])
  })
})

test('the phone keeps pages, scanner and engine, and nothing of the API', async ({ browser, baseURL }) => {
  const page = await openOnPhone(browser, baseURL ?? '', '/campaign-home', { serviceWorkers: 'allow' })
  await page.evaluate(async () => {
    await globalThis.navigator.serviceWorker.ready
  })
  await expect.poll(() => page.evaluate(() => globalThis.navigator.serviceWorker.controller !== null)).toBe(true)
  await expect(page.getByRole('searchbox')).toBeVisible()
  const kept = await page.evaluate(async () => {
    const urls: string[] = []
    for (const name of await caches.keys()) for (const { url } of await (await caches.open(name)).keys()) urls.push(new URL(url).pathname)
    return urls
  })
  expect(kept.filter((url) => url.startsWith('/api'))).toEqual([])
  for (const wanted of [/^\/index\.html$/, /\/worker-.*\.js$/, /\.wasm$/, /\/scanner-.*\.js$/, /\/detector-.*\.js$/, /\/WalkAndScanPage-.*\.js$/]) expect(kept.some((url) => wanted.test(url)), String(wanted)).toBe(true)
  const manifest = (await (await page.request.get('/manifest.webmanifest')).json()) as { icons: { src: string }[] }
  for (const { src } of manifest.icons) expect((await page.request.get(src)).headers()['content-type']).toBe('image/png')

  await page.context().setOffline(true)
  await page.reload()
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  const engine = await page.evaluate(async (url) => (await fetch(url ?? '')).status, kept.find((url) => url.endsWith('.wasm')))
  expect(engine).toBe(200)
  await page.context().close()
})
