import { expect, test, type Page } from './support/test'
import { createEmptyScene, createSceneCamera, createLabelScene } from './support/film'
import { takeScreenshots } from './support/screenshots'
import { findCarAt, takeVibrations, openOnPhone, expectNoUncaughtErrors, countCameraTracks, importYard } from './support/yard'

const [FIRST, SECOND] = ['HB20 000123', 'HB20 000777']

test.afterEach(expectNoUncaughtErrors)

test('a row is walked: each car is scanned, saved in two taps, and the camera is ready again', async ({ browser, request, baseURL }) => {
  const yard = await importYard(request, ['HB20 000001', SECOND, FIRST])
  const { prepare, show } = await createSceneCamera({ nothing: createEmptyScene(), first: createLabelScene('Code128', FIRST, { turn: 10 }), second: createLabelScene('Code39', SECOND) })
  const page = await openOnPhone(browser, baseURL ?? '', `/campaign/${yard.campaign}`, { prepare })
  await page.getByRole('link', { name: 'Walk and scan' }).click()
  const sheet = (vin: string) => page.getByRole('dialog', { name: `Vehicle ${vin}` })
  await expect(page.getByText('A-1', { exact: true })).toBeVisible()
  await expect(page.getByText('3 left')).toBeVisible()

  await test.step('the sheet of the car slides up, and two taps save the car', async () => {
    await show(page, 'first')
    await expect(sheet(FIRST)).toBeVisible()
    expect(await takeVibrations(page)).toEqual(['60'])
    await takeScreenshots(page, 'walk-sheet')
    await sheet(FIRST).getByRole('button', { name: 'ok', exact: true }).click()
    await sheet(FIRST).getByRole('button', { name: 'Save as ok' }).click()
    await expect(page.getByText(`${FIRST} salvo como ok.`)).toBeVisible()
    await expect(sheet(FIRST)).toHaveCount(0)
  })
  await test.step('the camera stayed on, and the same label is ignored while it is in view', async () => {
    expect(await countCameraTracks(page)).toEqual({ taken: 1, live: 1 })
    await expect(page.getByText('2 left')).toBeVisible()
    await page.waitForTimeout(800)
    await expect(page.getByRole('dialog')).toHaveCount(0)
    await show(page, 'nothing') // a shaky hand loses the label for a moment
    await page.waitForTimeout(1300)
    await show(page, 'first')
    await page.waitForTimeout(1000)
    await expect(page.getByRole('dialog')).toHaveCount(0)
    await takeScreenshots(page, 'walk')
  })
  await test.step('another label opens its car, which is closed without saving', async () => {
    await show(page, 'second')
    await expect(sheet(SECOND)).toBeVisible()
    await sheet(SECOND).getByRole('button', { name: 'Close without saving' }).click()
    await expect(page.getByRole('dialog')).toHaveCount(0)
    await expect(page.getByText('2 left')).toBeVisible()
  })
  await test.step('a label that was out of view is read again: its car is already inspected', async () => {
    await show(page, 'first')
    await expect(sheet(FIRST)).toBeVisible()
    await expect(sheet(FIRST).getByText('Já inspecionado')).toBeVisible()
    expect((await takeVibrations(page)).at(-1)).toBe('60,70,60')
    await sheet(FIRST).getByRole('button', { name: 'Close without saving' }).click()
    await show(page, 'nothing')
  })
  await test.step('a car without a label is found by typing its VIN', async () => {
    await page.getByRole('button', { name: 'Manual' }).click()
    await page.getByLabel('Vehicle identifier').fill('000001')
    await page.getByRole('button', { name: /HB20 000001/ }).click()
    await sheet('HB20 000001').getByRole('button', { name: 'ng', exact: true }).click()
    await sheet('HB20 000001').getByRole('button', { name: 'Save as ng' }).click()
    await expect(page.getByText('1 left')).toBeVisible()
  })
  await page.getByRole('button', { name: 'Back', exact: true }).click()
  await expect.poll(() => countCameraTracks(page)).toEqual({ taken: 1, live: 0 })
  await expect(page.getByText('2 / 3')).toBeVisible()
  expect(findCarAt(yard, 'A-3').vin).toBe(FIRST)
})

const box = async (part: ReturnType<Page['locator']>) => (await part.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }
const [video, bar] = [(page: Page) => page.getByLabel(/^(Camera view|Imagem da câmera)$/), (page: Page) => page.locator('[data-bottom-bar]')]

test('without a camera only the message is left, and typing is open as the way on', async ({ browser, request, baseURL }) => {
  const yard = await importYard(request, ['HB20 000001', SECOND])
  const page = await openOnPhone(browser, baseURL ?? '', `/campaign/${yard.campaign}/walk`, { permissions: [] })
  const alert = page.getByRole('alert')
  await expect(alert).toContainText('Use Manual.')
  await expect(alert.getByRole('status')).toBeVisible() // the message announces the automatic retry
  const field = page.getByLabel('Vehicle identifier')
  await expect(field).toBeVisible()
  await expect(field).not.toBeFocused() // opened by itself, it must not bring up the keyboard
  await expect(page.getByRole('button', { name: 'Manual' })).toHaveCount(0)
  await page.getByRole('button', { name: 'Find vehicle' }).click()
  await expect(field).toBeFocused()
  await expect(video(page)).toBeHidden()
  const next = page.getByRole('img', { name: 'A-1', exact: true })
  expect((await box(next)).y).toBeGreaterThan((await box(field)).y) // the field is between the message and the next space
  await field.fill('000001')
  await page.getByRole('button', { name: /HB20 000001/ }).click()
  await expect(page.getByRole('dialog', { name: 'Vehicle HB20 000001' })).toBeVisible()
})

/** Makes each start of the camera wait, until `failCamera()` is called in the page. The device then has no camera. */
const prepareMissingCamera = (page: Page) =>
  page.addInitScript(() => {
    const missing = new Promise<void>((resolve) => Object.assign(window, { failCamera: resolve }))
    const getUserMedia = async () => {
      await missing
      throw new DOMException('', 'NotFoundError')
    }
    Object.defineProperty(navigator, 'mediaDevices', { value: { getUserMedia, enumerateDevices: async () => [], addEventListener() {}, removeEventListener() {} } })
  })

test('nothing shifts when the camera turns out to be missing, and each typed car is saved in two taps', async ({ browser, request, baseURL }) => {
  const yard = await importYard(request, ['HB20 000001', SECOND, FIRST])
  for (const viewport of [{ width: 390, height: 844 }, { width: 360, height: 640 }, { width: 844, height: 390 }]) {
    const page = await openOnPhone(browser, baseURL ?? '', `/campaign/${yard.campaign}/walk`, { prepare: prepareMissingCamera, viewport })
    const parts = { next: page.getByRole('img', { name: 'A-1', exact: true }), bar: bar(page), switch: page.getByText('One tap saves') }
    await expect(page.getByText('Abrindo a câmera...')).toBeVisible()
    const places = async () => Object.fromEntries(await Promise.all(Object.entries(parts).map(async ([name, part]) => [name, await box(part)] as const)))
    const before = await places()
    await page.evaluate('failCamera()')
    await expect(page.getByLabel('Vehicle identifier')).toBeVisible()
    expect(await places(), `${viewport.width} wide`).toEqual(before)
    await page.context().close()
  }
  const page = await openOnPhone(browser, baseURL ?? '', `/campaign/${yard.campaign}/walk`, { permissions: [] })
  const field = page.getByLabel('Vehicle identifier')
  await field.click()
  for (const [index, [typed, vin]] of ([['HB20 000123', FIRST], ['0777', SECOND], ['a1', 'HB20 000001']] as const).entries()) {
    await test.step(`${typed} finds ${vin}`, async () => {
      await expect(field).toBeFocused() // also after a save, so that the next car can be typed at once
      await expect(field).toHaveValue('')
      await page.keyboard.type(typed, { delay: 120 }) // at a person's pace, since faster keys count as a hardware scan
      await page.keyboard.press('Enter')
      const sheet = page.getByRole('dialog', { name: `Vehicle ${vin}` })
      await sheet.getByRole('button', { name: 'ok', exact: true }).click()
      await sheet.getByRole('button', { name: 'Save as ok' }).click()
      await expect(page.getByText(index < 2 ? `${2 - index} left` : 'Todos os veículos daqui foram inspecionados.')).toBeVisible()
    })
  }
})

test('the camera and the next space fit a phone on its side and a tablet', async ({ browser, request, baseURL }) => {
  const yard = await importYard(request, ['HB20 000001', SECOND])
  const { prepare } = await createSceneCamera({ nothing: createEmptyScene() })
  const page = await openOnPhone(browser, baseURL ?? '', `/campaign/${yard.campaign}/walk`, { prepare, viewport: { width: 844, height: 390 } })
  const next = page.getByRole('img', { name: 'A-1', exact: true })
  await expect(page.getByText('Aponte a câmera para o código.')).toBeVisible()
  await expect(next).toBeVisible()
  const scrolls = () => page.evaluate(() => document.documentElement.scrollHeight > window.innerHeight)
  const low = await box(video(page))
  expect([low.x, low.y + low.height, low.width]).toEqual([0, 390, low.height])
  expect((await box(bar(page))).x).toBe(low.width)
  expect((await box(next)).x).toBeGreaterThan(low.width)
  expect(await scrolls()).toBe(false)
  await page.setViewportSize({ width: 768, height: 1024 })
  const lower = await box(bar(page))
  expect([lower.x, lower.width, lower.y + lower.height]).toEqual([0, 768, 1024])
  expect((await box(next)).y + (await box(next)).height).toBeLessThan(lower.y)
  expect((await box(video(page))).width).toBeGreaterThan(600)
  await test.step('on small phones and in low windows nothing wraps, is cut or lies on the finder', async () => {
    for (const [width, height] of [[390, 844], [360, 640], [844, 390], [390, 400]] as const) {
      await page.setViewportSize({ width, height })
      await expectFreeFinder(page)
      const [said, manual] = [await box(page.getByText('Aponte a câmera para o código.')), await box(page.getByRole('button', { name: 'Manual' }))]
      expect(said.height, `the line of text at ${width}`).toBeLessThan(40)
      expect(manual.x + manual.width, `Manual at ${width}`).toBeLessThanOrEqual(width)
      expect(manual.y + manual.height).toBeLessThanOrEqual(height)
      expect((await box(page.getByText('One tap saves'))).height).toBeLessThan(60)
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width)
    }
  })
  await test.step('while a person types, the camera view says that it is paused, and leads back', async () => {
    await page.setViewportSize({ width: 360, height: 640 })
    await page.getByRole('button', { name: 'Manual' }).click()
    await expect(page.getByText('Pausado enquanto você digita')).toBeInViewport()
    await expect(page.locator('svg:has(rect)')).toHaveCount(0)
    await page.getByRole('button', { name: 'Back to the camera' }).click()
    await expect(page.getByLabel('Vehicle identifier')).toHaveCount(0)
    await expect(page.getByText('Aponte a câmera para o código.')).toBeVisible()
  })
})

/** Expects that no control of the camera view lies on the finder. */
async function expectFreeFinder(page: Page): Promise<void> {
  const finder = await box(page.locator('svg:has(rect[rx="3"])'))
  for (const name of ['Read label', 'Turn camera off']) {
    const button = await box(page.getByRole('button', { name }))
    expect(button.height, name).toBeGreaterThanOrEqual(44)
    const isBeside = button.x >= finder.x + finder.width || button.x + button.width <= finder.x || button.y >= finder.y + finder.height
    expect(isBeside, `${name} lies beside or below the finder at ${page.viewportSize()?.width}`).toBe(true)
  }
}
