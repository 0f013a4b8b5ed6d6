import { expect, test, type Page } from './support/test'
import { findCarAt, openOnPhone, expectNoUncaughtErrors, countCameraTracks, importYard } from './support/yard'

const [HERE, OTHER, NEAR] = ['9BWZZZ377VT 004251', '9BWZZZ377VT 118873', '9BWZZZ377VT 118876']

test.afterEach(expectNoUncaughtErrors)

/** Gives a page a camera that shows a printed label with these lines. `showLabel` changes the label. */
const labelCamera = (page: Page, first: string[]) =>
  page.addInitScript((lines) => {
    const canvas = document.createElementNS('http://www.w3.org/1999/xhtml', 'canvas') as HTMLCanvasElement
    Object.assign(canvas, { width: 1080, height: 1080 })
    let shown = lines
    setInterval(() => {
      const context = canvas.getContext('2d')
      if (context === null) return
      context.fillStyle = '#6e6e6e'
      context.fillRect(0, 0, 1080, 1080)
      context.fillStyle = '#e4e4e4'
      context.fillRect(150, 440, 780, 40 + 90 * shown.length)
      context.fillStyle = '#222222'
      context.font = '60px "Liberation Mono", "DejaVu Sans Mono", monospace'
      for (const [index, line] of shown.entries()) context.fillText(line, 210, 515 + 90 * index)
    }, 100)
    Object.assign(window, { showLabel: (next: string[]) => { shown = next } })
    Object.assign(globalThis.navigator.mediaDevices, { getUserMedia: async () => canvas.captureStream(10) })
  }, first)
/** Shows a label to the camera, and waits until the page has got pictures of it when the camera is on. */
const show = (page: Page, lines: string[]) =>
  page.evaluate(async (next) => {
    ;(window as unknown as { showLabel: (lines: string[]) => void }).showLabel(next)
    const video = document.querySelector('video')
    if (video === null) return
    for (let pictures = 0; pictures < 3; pictures++) await new Promise((resolve) => video.requestVideoFrameCallback(resolve))
  }, lines)

const panel = (page: Page) => page.getByRole('region', { name: 'Read label' })
const identifier = (page: Page) => page.getByLabel('Vehicle identifier')

test('a label without a code is read by its characters, offline as well after the first use', async ({ browser, request, baseURL }) => {
  test.setTimeout(240_000)
  const yard = await importYard(request, [HERE, OTHER, NEAR])
  const page = await openOnPhone(browser, baseURL ?? '', `/vehicle/${findCarAt(yard, 'A-1').id}`, { serviceWorkers: 'allow', prepare: (fresh) => labelCamera(fresh, ['9BWZZZ377VT', '004251']) })
  const asked: string[] = []
  page.context().on('request', (sent) => asked.push(sent.url()))
  await page.evaluate(async () => {
    await globalThis.navigator.serviceWorker.ready
  })
  await expect.poll(() => page.evaluate(() => globalThis.navigator.serviceWorker.controller !== null)).toBe(true)
  const read = async () => {
    const button = page.getByRole('button', { name: 'Read label' })
    expect((await button.boundingBox())?.height).toBeGreaterThanOrEqual(44)
    await button.click()
  }
  await test.step('without its files and offline, words say so, and typing stays possible', async () => {
    await page.getByRole('button', { name: 'Scan', exact: true }).click()
    await expect(page.getByRole('button', { name: 'Read label' })).toBeVisible()
    expect(asked.filter((url) => url.includes('character-reader'))).toEqual([])
    await page.context().setOffline(true)
    await read()
    await expect(panel(page).getByText(/ainda não está neste aparelho/)).toBeVisible()
    await expect(page.getByRole('dialog').getByRole('button', { name: 'Manual' })).toBeEnabled()
    await page.context().setOffline(false)
  })
  await test.step('the car is shown with its space for confirmation and then entered', async () => {
    await panel(page).getByRole('button', { name: 'Try again' }).click()
    await expect(panel(page).getByText('É este o veículo?')).toBeVisible({ timeout: 60_000 })
    await expect(panel(page).getByText(`${HERE} na vaga A-1`)).toBeVisible()
    await panel(page).getByRole('button', { name: 'Use this vehicle' }).click()
    await expect(identifier(page)).toHaveValue(HERE)
    await expect(page.getByText('O identificador confere com este veículo.')).toBeVisible()
    const origin = new URL(baseURL ?? '').origin
    expect(asked.filter((url) => url.startsWith('http') && new URL(url).origin !== origin)).toEqual([])
  })
  await test.step('offline, near neighbours make a list to choose from, and a stranger gives advice', async () => {
    await page.goto(`/campaign/${yard.campaign}`)
    await page.getByRole('button', { name: 'Make available offline' }).click()
    await expect(page.getByText('Pronto. Esta lista já funciona offline.')).toBeVisible({ timeout: 60_000 })
    await page.context().setOffline(true)
    await page.goto(`/campaign/${yard.campaign}/walk`)
    await show(page, ['9BWZZZ377VT', '118873'])
    await read()
    await expect(panel(page).getByText('Escolha o veículo que está diante de você.')).toBeVisible({ timeout: 60_000 })
    const rows = panel(page).getByRole('listitem').getByRole('button')
    await expect(rows).toHaveText([`${OTHER} na vaga A-2`, `${NEAR} na vaga A-3`])
    expect((await rows.first().boundingBox())?.height).toBeGreaterThanOrEqual(44)
    await show(page, ['MADE IN', 'BRAZIL'])
    await panel(page).getByRole('button', { name: 'Read again' }).click()
    await expect(panel(page).getByText(/Aproxime a câmera/)).toBeVisible({ timeout: 60_000 })
    await show(page, ['9BWZZZ377VT', '118873'])
    await panel(page).getByRole('button', { name: 'Read again' }).click()
    await rows.first().click({ timeout: 60_000 })
    await expect(page.getByRole('dialog', { name: `Vehicle ${OTHER}` })).toBeVisible()
    await page.context().setOffline(false)
  })
  await page.goto('/campaign-home')
  expect((await countCameraTracks(page)).live).toBe(0)
  await page.context().close()
})
