import { expect, test, type Page } from './support/test'
import { createEmptyScene, createSceneCamera, createLabelScene } from './support/film'
import { createHandScanner, keystrokesOf } from './support/handScanner'
import { findCarAt, takeVibrations, openOnPhone, expectNoUncaughtErrors, countCameraTracks, importYard, type Yard } from './support/yard'

const [HERE, OTHER] = ['HB20 000123', 'HB20 000777']

test.afterEach(expectNoUncaughtErrors)

const identifier = (page: Page) => page.getByLabel('Vehicle identifier')
const aims = (page: Page) => page.getByText('Aponte a câmera para o código.')
const sheet = (page: Page, vin: string) => page.getByRole('dialog', { name: `Vehicle ${vin}` })
const openScanner = (page: Page) => page.getByRole('button', { name: /^Scan( again)?$/ }).click()
const vehiclePath = (yard: Yard) => `/vehicle/${findCarAt(yard, 'A-1').id}`
const walkPath = (yard: Yard) => `/campaign/${yard.campaign}/walk`

interface Watched {
  decoded: number[]
  workers: Worker[]
  ways: Record<string, () => void>
  locks: string[]
  longest: number
}

/** Records the decoded frames, the workers, the wake locks and the longest task of a page, and lets the test make a worker fail. */
const watch = (page: Page) =>
  page.addInitScript(() => {
    const watched: Watched = { decoded: [], workers: [], ways: {}, locks: [], longest: 0 }
    Object.assign(window, { watched })
    const Original = window.Worker
    window.Worker = class extends Original {
      constructor(url: string | URL, options?: WorkerOptions) {
        super(url, options)
        watched.workers.push(this)
        this.addEventListener('message', ({ data }: MessageEvent<{ kind: string }>) => data.kind === 'decoded' && watched.decoded.push(performance.now()))
      }
    }
    const last = () => watched.workers.at(-1)
    watched.ways = {
      throws: () => last()?.dispatchEvent(new ErrorEvent('error', { message: 'out of memory' })),
      reports: () => last()?.dispatchEvent(new MessageEvent('message', { data: { kind: 'broken', id: 0, message: 'memory access out of bounds', fatal: true } })),
      isSilent: () => last()?.terminate(),
    }
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) watched.longest = Math.max(watched.longest, duration)
    }).observe({ type: 'longtask' })
    const request = async () => {
      watched.locks.push('on')
      return { release: async () => watched.locks.push('off') }
    }
    Object.defineProperty(globalThis.navigator, 'wakeLock', { value: { request } })
  })
const watched = async <T>(page: Page, read: (all: Watched) => T): Promise<T> => {
  const all = await page.evaluateHandle(() => (window as unknown as { watched: Watched }).watched)
  return all.evaluate(read as (found: Watched) => T)
}

/** Returns the number of decoded frames a second over some seconds. */
async function rate(page: Page, seconds = 4): Promise<number> {
  const before = await watched(page, ({ decoded }) => [decoded.length, performance.now()])
  await page.waitForTimeout(seconds * 1000)
  const after = await watched(page, ({ decoded }) => [decoded.length, performance.now()])
  return (1000 * ((after[0] ?? 0) - (before[0] ?? 0))) / ((after[1] ?? 0) - (before[1] ?? 0))
}

test('an engine that fails is replaced while the camera goes on, and one line says so', async ({ browser, request, baseURL }) => {
  test.setTimeout(180_000)
  const yard = await importYard(request, [HERE])
  const { prepare, show } = await createSceneCamera({ nothing: createEmptyScene(), label: createLabelScene('Code128', HERE) })
  for (const way of ['throws', 'reports', 'isSilent']) {
    await test.step(`a worker that ${way}`, async () => {
      const page = await openOnPhone(browser, baseURL ?? '', vehiclePath(yard), { prepare: async (fresh) => { await prepare(fresh); await watch(fresh) } })
      await openScanner(page)
      await expect(aims(page)).toBeVisible()
      await expect.poll(() => watched(page, ({ decoded }) => decoded.length)).toBeGreaterThan(2)
      await page.route('**/*.wasm', async (route) => {
        await new Promise((later) => setTimeout(later, 1500))
        await route.continue()
      })
      await page.evaluate((name) => (window as unknown as { watched: Watched }).watched.ways[name]?.(), way)
      await expect(page.getByText('O leitor parou e está sendo reiniciado...')).toBeVisible({ timeout: 15_000 })
      await expect(page.getByRole('alert')).toHaveCount(0)
      await expect(aims(page)).toBeVisible()
      expect(await countCameraTracks(page)).toEqual({ taken: 1, live: 1 })
      await show(page, 'label')
      await expect(identifier(page)).toHaveValue(HERE)
      await page.context().close()
    })
  }
})

test('the decoder rests with nothing in view and while a car sheet is open, and a walk keeps the screen on', async ({ browser, request, baseURL }) => {
  test.setTimeout(120_000)
  const yard = await importYard(request, [HERE, OTHER])
  const { prepare, show } = await createSceneCamera({ nothing: createEmptyScene(), label: createLabelScene('Code39', HERE, { turn: 25 }) })
  const page = await openOnPhone(browser, baseURL ?? '', walkPath(yard), { prepare: async (fresh) => { await prepare(fresh); await watch(fresh) } })
  await expect(aims(page)).toBeVisible()
  expect(await rate(page)).toBeLessThanOrEqual(12)
  expect(await watched(page, ({ locks }) => locks)).toEqual(['on'])
  await show(page, 'label')
  await expect(sheet(page, HERE)).toBeVisible()
  await page.waitForTimeout(600)
  expect(await rate(page)).toBeLessThanOrEqual(2.5)
  await test.step('the label that is still in view does not open its car again', async () => {
    await sheet(page, HERE).getByRole('button', { name: 'Close without saving' }).click()
    await page.waitForTimeout(1500)
    await expect(page.getByRole('dialog')).toHaveCount(0)
  })
  await page.evaluate(() => history.pushState(null, '', '/yard')) // leaves by the router, so that the page keeps its records
  await expect.poll(() => watched(page, ({ locks }) => locks.filter((lock) => lock === 'on').length - locks.filter((lock) => lock === 'off').length)).toBe(0)
  await page.context().close()
})

test('of a part code and a tilted label the car is taken; a refused part code hides no car', async ({ browser, request, baseURL }) => {
  test.setTimeout(120_000)
  const yard = await importYard(request, [HERE, OTHER])
  const part = { format: 'QRCode', text: 'P5521-88-00', module: 6, x: 330, y: 330 } as const
  const { prepare, show } = await createSceneCamera({
    nothing: createEmptyScene(), part: { labels: [part] },
    both: { labels: [part, { format: 'Code39', text: HERE, module: 2.4, turn: 15, x: 560, y: 640 }] },
  })
  const page = await openOnPhone(browser, baseURL ?? '', vehiclePath(yard), { prepare })
  await openScanner(page)
  await expect(aims(page)).toBeVisible()
  await show(page, 'both')
  await expect(identifier(page)).not.toHaveValue('')
  expect(await identifier(page).inputValue()).toBe(HERE)
  await page.goto(walkPath(yard))
  await page.getByRole('button', { name: 'Discard' }).click({ timeout: 3000 }).catch(() => undefined) // a draft of the vehicle page, where it is shown
  await expect(aims(page)).toBeVisible()
  await show(page, 'part')
  await expect(page.getByText('"P5521-88-00" não está nesta campanha.')).toBeVisible()
  await show(page, 'both')
  await expect(sheet(page, HERE)).toBeVisible()
  await page.context().close()
})

test('a scanned ending opens no car: its person is asked', async ({ browser, request, baseURL }) => {
  const yard = await importYard(request, [HERE, OTHER])
  const { prepare } = await createSceneCamera({ nothing: createEmptyScene() })
  const page = await openOnPhone(browser, baseURL ?? '', walkPath(yard), { prepare })
  await expect(aims(page)).toBeVisible()
  const scan = await createHandScanner(page)
  await scan(...keystrokesOf('000777'), 'Enter')
  await expect(page.getByText('Only a part of the identifier matches. Is it this one?')).toBeVisible()
  expect(await takeVibrations(page)).toEqual(['220,90,220'])
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await page.getByRole('button', { name: new RegExp(OTHER) }).click()
  await expect(sheet(page, OTHER)).toBeVisible()
  await page.context().close()
})
