import { expect, test, type Page } from './support/test'
import { launchBrowser, createLabelScene, runWithFilm } from './support/film'
import { boxOf, dialog, FAKE_CAMERA, openScanner } from './support/scannerDialog'
import { PHONE, takeScreenshot } from './support/screenshots'
import { findCarAt, openOnPhone, expectNoUncaughtErrors, countCameraTracks, importYard, type Yard } from './support/yard'

const HERE = 'HB20 000123'
const SIDEWAYS = { width: 844, height: 390 }

let yard: Yard
test.beforeAll(async ({ request }) => {
  yard = await importYard(request, [HERE, 'HB20 000124'])
})
test.afterEach(expectNoUncaughtErrors)

const path = () => `/vehicle/${findCarAt(yard, 'A-1').id}`

/** Expects the error text, no running camera, and that Manual opens the field for typing. */
async function fails(page: Page, words: string): Promise<void> {
  await expect(dialog(page).getByRole('alert')).toContainText(words)
  await expect.poll(async () => (await countCameraTracks(page)).live).toBe(0)
  await dialog(page).getByRole('button', { name: 'Manual' }).click()
  await expect(dialog(page)).toHaveCount(0)
  await page.getByLabel('Vehicle identifier').fill('000123')
  await expect(page.getByText('O identificador confere com este veículo.')).toBeVisible()
}

test('a refused camera says so', async ({ baseURL }) => {
  const browser = await launchBrowser('--use-fake-device-for-media-stream', '--deny-permission-prompts')
  const page = await openOnPhone(browser, baseURL ?? '', path(), { permissions: [] })
  await openScanner(page)
  await expect(dialog(page).getByRole('alert')).toBeVisible()
  await takeScreenshot(page, 'scan-refused')
  await page.setViewportSize(SIDEWAYS)
  const [again, manual] = [await boxOf(dialog(page).getByRole('button', { name: 'Try again' })), await boxOf(dialog(page).getByRole('button', { name: 'Manual' }))]
  expect(again.x + again.width).toBeLessThan(manual.x)
  expect(again.y + again.height).toBeLessThan(SIDEWAYS.height)
  await page.setViewportSize(PHONE)
  await fails(page, 'O acesso à câmera está bloqueado.')
  await browser.close()
})

test('an insecure origin says so', async ({ baseURL }) => {
  const address = new URL(baseURL ?? '')
  const browser = await launchBrowser(...FAKE_CAMERA, `--host-resolver-rules=MAP yard.test ${address.hostname}`)
  const page = await openOnPhone(browser, `http://yard.test:${address.port}`, path(), { permissions: [] })
  await openScanner(page)
  await fails(page, 'Camera access is only permitted in secure context; use HTTPS or localhost rather than HTTP.')
  await browser.close()
})

test('a device without a camera says so', async ({ baseURL }) => {
  const browser = await launchBrowser('--use-fake-ui-for-media-stream', '--use-fake-device-for-media-stream=device-count=0')
  const page = await openOnPhone(browser, baseURL ?? '', path())
  await openScanner(page)
  await fails(page, 'Nenhuma câmera encontrada neste aparelho.')
  await browser.close()
})

test('a browser without cameras, a camera that never plays and one without a track say so', async ({ baseURL }) => {
  const browser = await launchBrowser(...FAKE_CAMERA)
  const ways: [() => void, string][] = [
    [() => Object.defineProperty(globalThis.navigator, 'mediaDevices', { value: undefined }), 'This browser has no Stream API support.'],
    [() => Object.assign(HTMLMediaElement.prototype, { play: () => new Promise(() => {}) }), 'Loading camera stream timed out after 3 seconds.'],
    [() => Object.assign(globalThis.navigator.mediaDevices, { getUserMedia: async () => new MediaStream() }), 'No active video track found.'],
    [() => Object.assign(globalThis.navigator.mediaDevices, { getUserMedia: async () => Promise.reject(new Error('odd')) }), 'Something went wrong with the camera task queue (start task)'],
    [() => Object.assign(globalThis.navigator.mediaDevices, { getUserMedia: async () => Promise.reject(new DOMException('busy', 'NotReadableError')) }), 'A câmera está em uso por outro aplicativo.'],
  ]
  for (const [way, words] of ways) {
    const page = await openOnPhone(browser, baseURL ?? '', path())
    await page.evaluate(way)
    await openScanner(page)
    await fails(page, words)
    await page.close()
  }
  await browser.close()
})

test('an engine or a scanner that cannot be loaded says so, and works once it can', async ({ baseURL }) => {
  await runWithFilm([createLabelScene('Code128', HERE)], async (browser) => {
    const ways = [['**/*.wasm', 'Barcode detection service unavailable'], ['**/assets/worker-*.js', 'Barcode detection service unavailable'], ['**/assets/scanner-*.js', 'O leitor não carregou.']] as const
    for (const [blocked, words] of ways) {
      const page = await openOnPhone(browser, baseURL ?? '', '/campaign-home')
      await page.route(blocked, (route) => route.abort())
      // The page reloads itself once when code is missing; here it has done so before the scanner is opened.
      await page.evaluate(() => sessionStorage.setItem('reloaded', '1'))
      await page.goto(path())
      await openScanner(page)
      await expect(dialog(page).getByRole('alert')).toContainText(words)
      await expect.poll(async () => (await countCameraTracks(page)).live).toBe(0)
      await page.unroute(blocked)
      await dialog(page).getByRole('button', { name: 'Try again' }).click()
      await expect(page.getByLabel('Vehicle identifier')).toHaveValue(HERE)
      await expect.poll(async () => (await countCameraTracks(page)).live).toBe(0)
      await page.close()
    }
  })
})
