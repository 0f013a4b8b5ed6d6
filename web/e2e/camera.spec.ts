import { expect, test, type Page } from './support/test'
import { launchBrowser } from './support/film'
import { boxOf, dialog, FAKE_CAMERA, openScanner } from './support/scannerDialog'
import { PHONE, takeScreenshot } from './support/screenshots'
import { cameraRequests, findCarAt, openOnPhone, expectNoUncaughtErrors, countCameraTracks, importYard, type Yard } from './support/yard'

const HERE = 'HB20 000123'

let yard: Yard
test.beforeAll(async ({ request }) => {
  yard = await importYard(request, [HERE, 'HB20 000124'])
})
test.afterEach(expectNoUncaughtErrors)

const path = () => `/vehicle/${findCarAt(yard, 'A-1').id}`

/** Expects a request for the rear camera without sound, a square view as wide as the phone, and a finder of 70 % of it. */
async function expectView(page: Page): Promise<void> {
  const [constraints] = await cameraRequests(page)
  expect(constraints).toMatchObject({ audio: false, video: { facingMode: 'environment' } })
  const video = dialog(page).locator('video')
  const view = await boxOf(video)
  expect(view.width).toBeCloseTo(PHONE.width, 0)
  expect(view.height).toBeCloseTo(view.width, 0)
  const finder = dialog(page).locator('svg:has(rect)')
  const square = await boxOf(finder)
  expect(square.width / view.width).toBeCloseTo(0.7, 2)
  expect(square.height).toBeCloseTo(square.width, 0)
  expect(square.x + square.width / 2).toBeCloseTo(view.x + view.width / 2, 0)
  expect(square.y + square.height / 2).toBeCloseTo(view.y + view.height / 2, 0)
  const frame = await finder.evaluate((svg) => {
    const [dashes, corners] = ['rect', 'path'].map((part) => getComputedStyle(svg.querySelector(part) as Element)) as [CSSStyleDeclaration, CSSStyleDeclaration]
    return { stroke: dashes.stroke, corners: corners.stroke, dashed: dashes.strokeDasharray, solid: corners.strokeDasharray, marks: svg.querySelector('path')?.getAttribute('d')?.match(/M/g)?.length }
  })
  const [red, green, blue] = /rgb\((\d+), (\d+), (\d+)\)/.exec(frame.stroke)?.slice(1).map(Number) ?? []
  expect(red).toBeGreaterThan(200)
  expect(Math.max(green ?? 255, blue ?? 255)).toBeLessThan(120)
  expect(frame).toMatchObject({ corners: frame.stroke, solid: 'none', marks: 4 })
  expect(frame.dashed).toMatch(/\d/)
  await expectControls(page, ['Turn camera off'])
}

/** Expects the controls stacked in the lower right quarter of the camera view, each large enough for a thumb. */
async function expectControls(page: Page, names: string[]): Promise<void> {
  const view = await boxOf(dialog(page).locator('video'))
  for (const name of names) {
    const box = await boxOf(dialog(page).getByRole('button', { name, exact: true }))
    expect(Math.min(box.width, box.height)).toBeGreaterThanOrEqual(44)
    expect(view.x + view.width - (box.x + box.width), name).toBeLessThan(24)
    expect(box.y + box.height, name).toBeLessThanOrEqual(view.y + view.height)
  }
  const last = await boxOf(dialog(page).getByRole('button', { name: 'Turn camera off', exact: true }))
  expect(view.y + view.height - (last.y + last.height)).toBeLessThan(24)
}

const SIDEWAYS = { width: 844, height: 390 }

/** Expects a camera view of full height at the left edge of a phone in landscape orientation, everything else beside it, and a free finder. */
async function expectSideways(page: Page): Promise<void> {
  await page.setViewportSize(SIDEWAYS)
  const view = await boxOf(dialog(page).locator('video'))
  expect(view).toEqual({ x: 0, y: 0, width: SIDEWAYS.height, height: SIDEWAYS.height })
  for (const part of [dialog(page).getByRole('heading'), dialog(page).getByRole('img', { name: 'A-1', exact: true }), dialog(page).getByRole('button', { name: 'Manual' })]) {
    expect((await boxOf(part)).x).toBeGreaterThanOrEqual(view.width)
    await expect(part).toBeInViewport({ ratio: 1 })
  }
  const finder = await boxOf(dialog(page).locator('svg:has(rect)').first())
  for (const name of ['Turn camera off', 'Turn torch on', 'Zoom in', 'Zoom out']) expect((await boxOf(dialog(page).getByRole('button', { name }))).x, name).toBeGreaterThanOrEqual(finder.x + finder.width)
  expect((await boxOf(dialog(page).getByRole('button', { name: 'Read label' }))).y).toBeGreaterThanOrEqual(finder.y + finder.height)
  await page.setViewportSize(PHONE)
}

test('closing while the camera starts leaves it off', async ({ baseURL }) => {
  const browser = await launchBrowser(...FAKE_CAMERA)
  const page = await openOnPhone(browser, baseURL ?? '', path())
  await page.evaluate(() => {
    const devices = globalThis.navigator.mediaDevices
    const ask = devices.getUserMedia.bind(devices)
    devices.getUserMedia = async (constraints) => {
      const stream = await ask(constraints)
      await new Promise<void>((resolve) => Object.assign(window, { giveCamera: resolve }))
      return stream
    }
  })
  const give = () => page.evaluate(() => (window as unknown as { giveCamera: () => void }).giveCamera())
  await openScanner(page)
  await expect.poll(() => countCameraTracks(page)).toEqual({ taken: 1, live: 1 })
  await dialog(page).getByRole('button', { name: 'Close' }).click()
  await expect(dialog(page)).toHaveCount(0)
  await give()
  await expect.poll(() => countCameraTracks(page)).toEqual({ taken: 1, live: 0 })
  await openScanner(page)
  await expect.poll(() => countCameraTracks(page)).toEqual({ taken: 2, live: 1 })
  await page.keyboard.press('Escape')
  await expect(dialog(page)).toHaveCount(0)
  await give()
  await expect.poll(() => countCameraTracks(page)).toEqual({ taken: 2, live: 0 })
  await browser.close()
})

test('hidden, the page lets the camera go; shown again, it takes it back; the switch rests for a second', async ({ baseURL }) => {
  const browser = await launchBrowser(...FAKE_CAMERA)
  const page = await openOnPhone(browser, baseURL ?? '', path())
  await page.clock.install()
  await page.reload()
  await openScanner(page)
  await expect(dialog(page).getByText('Aponte a câmera para o código.')).toBeVisible()
  await expectView(page)
  await takeScreenshot(page, 'scan')
  const show = (state: string) =>
    page.evaluate((value) => {
      Object.defineProperty(document, 'visibilityState', { value, configurable: true })
      document.dispatchEvent(new Event('visibilitychange'))
    }, state)
  await show('hidden')
  await expect.poll(() => countCameraTracks(page)).toEqual({ taken: 1, live: 0 })
  await show('visible')
  await expect.poll(() => countCameraTracks(page)).toEqual({ taken: 2, live: 1 })

  const on = dialog(page).getByRole('button', { name: 'Turn camera on' })
  await expect(dialog(page).getByText('Aponte a câmera para o código.')).toBeVisible() // the camera has started
  await page.clock.pauseAt(await page.evaluate(() => Date.now() + 10_000))
  await dialog(page).getByRole('button', { name: 'Turn camera off' }).click()
  await expect(on).toBeDisabled()
  await expect.poll(async () => (await countCameraTracks(page)).live).toBe(0)
  await page.clock.runFor(990)
  await expect(on).toBeDisabled()
  await page.clock.runFor(20)
  await expect(on).toBeEnabled()
  await page.clock.resume()
  await on.click()
  await expect.poll(async () => (await countCameraTracks(page)).live).toBe(1)
  await browser.close()
})

test('torch and zoom appear where the camera has them; zoom goes in thirds and puts the torch out first', async ({ baseURL }) => {
  const browser = await launchBrowser(...FAKE_CAMERA)
  const page = await openOnPhone(browser, baseURL ?? '', path())
  await page.evaluate(() => {
    const set: Record<string, unknown> = { torch: false, zoom: 0 }
    const asked: string[] = []
    Object.assign(window, { asked })
    const track = MediaStreamTrack.prototype
    const settings = track.getSettings
    Object.assign(track, { getCapabilities: () => ({ torch: true, zoom: { min: 0, max: 6, step: 0.1 } }) })
    track.getSettings = function () {
      return { ...settings.call(this), ...set }
    }
    track.applyConstraints = async (constraints) => {
      Object.assign(set, constraints?.advanced?.[0])
      asked.push(JSON.stringify(constraints?.advanced?.[0]))
    }
  })
  await openScanner(page)
  const control = (name: string) => dialog(page).getByRole('button', { name })
  await expect(control('Turn torch on')).toBeVisible()
  await expect(control('Zoom out')).toBeDisabled()
  await expectControls(page, ['Turn camera off', 'Turn torch on', 'Zoom in', 'Zoom out'])
  await takeScreenshot(page, 'scan-controls')
  await expectSideways(page)
  await control('Turn torch on').click()
  await expect(control('Turn torch off')).toBeVisible()
  for (let step = 0; step < 3; step++) await control('Zoom in').click()
  await expect(control('Zoom in')).toBeDisabled()
  await expect(control('Turn torch on')).toBeVisible()
  const asked = await page.evaluate(() => (window as unknown as { asked: string[] }).asked)
  expect(asked).toEqual(['{"torch":true}', '{"torch":false}', '{"zoom":2}', '{"zoom":4}', '{"zoom":6}'])
  await browser.close()
})
