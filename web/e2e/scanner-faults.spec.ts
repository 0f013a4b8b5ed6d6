import { expect, test, type Page } from './support/test'
import { createEmptyScene, createSceneCamera, createLabelScene } from './support/film'
import { getRequestedCameras, failNextRequests, setFrozen, simulateCameras, failCameras, prepareFreeze } from './support/lenses'
import { takeScreenshot } from './support/screenshots'
import { findCarAt, openOnPhone, openScanner, expectNoUncaughtErrors, countCameraTracks, importYard, type Yard } from './support/yard'

const HERE = 'HB20 000123'

test.afterEach(expectNoUncaughtErrors)

const identifier = (page: Page) => page.getByLabel('Vehicle identifier')
const scanDialog = (page: Page) => page.getByRole('dialog', { name: 'Scan the vehicle' })
const aims = (page: Page) => page.getByText('Aponte a câmera para o código.')
const vehiclePath = (yard: Yard) => `/vehicle/${findCarAt(yard, 'A-1').id}`

const REAR = [
  { id: 'two', label: 'camera2 2, facing back' }, { id: 'one', label: 'camera2 1, facing front' },
  { id: 'zero', label: 'camera2 0, facing back' }, { id: 'three', label: 'camera2 3, facing back' },
]

test('of several rear cameras the main one is taken, another one is chosen and remembered, and one that refuses is passed over', async ({ browser, request, baseURL }) => {
  const yard = await importYard(request, [HERE])
  const { prepare, show } = await createSceneCamera({ nothing: createEmptyScene(), label: createLabelScene('Code128', HERE) })
  const page = await openOnPhone(browser, baseURL ?? '', vehiclePath(yard), { prepare: async (fresh) => { await prepare(fresh); await simulateCameras(fresh, REAR) } })
  const reopen = async () => {
    await page.reload()
    await openScanner(page)
    await expect(aims(page)).toBeVisible()
  }
  await reopen()
  expect(await getRequestedCameras(page)).toEqual(['two', 'zero'])
  await expect.poll(async () => (await countCameraTracks(page)).live).toBe(1)
  const other = scanDialog(page).getByRole('button', { name: 'Switch camera' })
  for (const asked of [['two', 'zero', 'two'], ['two', 'zero', 'two', 'three']]) {
    await other.click()
    await expect.poll(() => getRequestedCameras(page)).toEqual(asked)
    await expect(aims(page)).toBeVisible()
    await expect.poll(async () => (await countCameraTracks(page)).live).toBe(1)
  }
  await takeScreenshot(page, 'scan-lenses')
  await reopen()
  expect(await getRequestedCameras(page)).toEqual(['three'])
  await failCameras(page, 'three')
  await reopen()
  expect(await getRequestedCameras(page)).toEqual(['three', 'zero'])
  await failCameras(page, 'three', 'zero')
  await reopen()
  expect(await getRequestedCameras(page)).toEqual(['zero', 'two'])
  await show(page, 'label')
  await expect(identifier(page)).toHaveValue(HERE)
  await expect.poll(async () => (await countCameraTracks(page)).live).toBe(0)
  await page.context().close()
})

const setVisible = (page: Page, state: 'hidden' | 'visible') =>
  page.evaluate((value) => {
    Object.defineProperty(document, 'visibilityState', { value, configurable: true })
    document.dispatchEvent(new Event('visibilitychange'))
  }, state)

test('a camera that another app has or that is gone is tried again by itself, with words and Manual meanwhile', async ({ browser, request, baseURL }) => {
  const yard = await importYard(request, [HERE])
  const { prepare, show } = await createSceneCamera({ nothing: createEmptyScene(), label: createLabelScene('Code128', HERE) })
  const page = await openOnPhone(browser, baseURL ?? '', vehiclePath(yard), { prepare: async (fresh) => { await prepare(fresh); await simulateCameras(fresh, REAR.slice(2, 3)) } })
  await openScanner(page)
  await expect(aims(page)).toBeVisible()
  await setVisible(page, 'hidden')
  await expect.poll(async () => (await countCameraTracks(page)).live).toBe(0)
  await failNextRequests(page, 'NotReadableError', 'NotReadableError', 'NotFoundError')
  await setVisible(page, 'visible')
  const alert = scanDialog(page).getByRole('alert')
  await expect(alert).toContainText('A câmera está em uso por outro aplicativo.')
  await expect(scanDialog(page).getByText('Nova tentativa automática em instantes.')).toBeVisible()
  await expect(scanDialog(page).getByRole('button', { name: 'Manual' })).toBeEnabled()
  await expect(alert).toContainText('Nenhuma câmera encontrada neste aparelho.')
  await expect(aims(page)).toBeVisible()
  await expect(alert).toHaveCount(0)
  expect(await countCameraTracks(page)).toEqual({ taken: 2, live: 1 })

  await test.step('a refusal is tried again when the person comes back from the settings', async () => {
    await setVisible(page, 'hidden')
    await failNextRequests(page, 'NotAllowedError')
    await setVisible(page, 'visible')
    await expect(alert).toContainText('O acesso à câmera está bloqueado.')
    await setVisible(page, 'hidden')
    await setVisible(page, 'visible')
    await expect(aims(page)).toBeVisible()
  })
  await show(page, 'label')
  await expect(identifier(page)).toHaveValue(HERE)
  await expect.poll(async () => (await countCameraTracks(page)).live).toBe(0)
  await page.context().close()
})

test('a picture that stands still is noticed: it plays again or the camera is restarted, else a line says so', async ({ browser, request, baseURL }) => {
  const yard = await importYard(request, [HERE])
  const { prepare, show } = await createSceneCamera({ nothing: createEmptyScene(), label: createLabelScene('Code128', HERE) })
  const page = await openOnPhone(browser, baseURL ?? '', vehiclePath(yard), { prepare: async (fresh) => { await prepare(fresh); await prepareFreeze(fresh) } })
  const isPlaying = () => page.evaluate(() => document.querySelector('video')?.paused === false)
  const noticed = { timeout: 4000 }
  const open = async () => {
    await openScanner(page)
    await expect(aims(page)).toBeVisible()
  }
  await open()
  await test.step('the video is paused by the browser', async () => {
    await page.evaluate(() => document.querySelector('video')?.pause())
    await expect.poll(isPlaying, noticed).toBe(true)
  })
  await test.step('the track ends', async () => {
    await page.evaluate(() => {
      const stream = document.querySelector('video')?.srcObject as MediaStream | null
      for (const track of stream?.getVideoTracks() ?? []) {
        track.stop()
        track.dispatchEvent(new Event('ended'))
      }
    })
    await expect.poll(() => countCameraTracks(page), noticed).toEqual({ taken: 2, live: 1 })
    await expect(aims(page)).toBeVisible()
    await show(page, 'label')
    await expect(identifier(page)).toHaveValue(HERE)
  })
  await test.step('muted, then unmuted', async () => {
    await page.reload()
    await open()
    await setFrozen(page, true)
    await expect.poll(async () => (await countCameraTracks(page)).taken, noticed).toBe(2)
    await expect(scanDialog(page).getByRole('alert')).toContainText(/A câmera parou|não respondeu|timed out/)
    await expect(scanDialog(page).getByRole('button', { name: 'Manual' })).toBeEnabled()
    expect((await countCameraTracks(page)).live).toBeLessThanOrEqual(1)
    await show(page, 'label')
    await setFrozen(page, false)
    await expect(scanDialog(page)).toHaveCount(0)
    await expect(identifier(page)).toHaveValue(HERE)
  })
  await test.step('the browser fires no event about new pictures', async () => {
    await page.addInitScript(() => Object.assign(HTMLVideoElement.prototype, { requestVideoFrameCallback: () => 1 }))
    await page.reload()
    await open()
    await show(page, 'label')
    await expect(scanDialog(page)).toHaveCount(0, noticed)
  })
  await page.context().close()
})
