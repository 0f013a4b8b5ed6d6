import { expect, type APIRequestContext, type Browser, type BrowserContextOptions, type Page } from '@playwright/test'
import { repeatWhileBusy } from './busy'
import { COLUMNS, createWorkbookFile } from './xlsx'
import { supervisor, uniqueName } from './people'
import { openAs, getHeaders } from './session'
import { PHONE } from './screenshots'

export interface Car {
  id: number
  vin: string
  space: string
}
export interface Yard {
  name: string
  campaign: number
  cars: Car[]
}

/** Imports a campaign with cars of these identifiers, written `MODEL SERIAL`, in the spaces and so on. */
export async function importYard(request: APIRequestContext, vins: string[]): Promise<Yard> {
  const name = uniqueName(`Labels ${Math.floor(Math.random() * 1e6)}`)
  const headers = await getHeaders(request, supervisor)
  const rows = vins.map((vin, index) => [name, 'Airbag', 'Check the inflator label', 'Hatch', ...vin.split(' '), `A-${index + 1}`])
  const sent = await repeatWhileBusy(() => request.post('/api/documents/upload', { headers, multipart: { documents: createWorkbookFile([COLUMNS, ...rows]) } }))
  expect(sent.status(), await sent.text()).toBe(201)
  const { campaign } = (await sent.json()) as { campaign: { id: number } }
  const listed = await repeatWhileBusy(() => request.get(`/api/vehicles/campaign/${campaign.id}/all`, { headers }))
  const vehicles = (await listed.json()) as { id: number; vin_number: string; parking_space: string }[]
  return { name, campaign: campaign.id, cars: vehicles.map(({ id, vin_number, parking_space }) => ({ id, vin: vin_number, space: parking_space })) }
}

export const findCarAt = ({ cars }: Yard, space: string): Car => {
  const found = cars.find((car) => car.space === space)
  if (found === undefined) throw new Error(`no car at ${space}`)
  return found
}

/** Opens a screen as the supervisor on a phone with a camera. `prepare` runs before the page loads. */
export async function openOnPhone(browser: Browser, baseURL: string, path: string, { prepare, ...options }: BrowserContextOptions & { prepare?: (page: Page) => Promise<unknown> } = {}): Promise<Page> {
  const context = await browser.newContext({ baseURL, viewport: PHONE, locale: 'pt-BR', permissions: ['camera'], serviceWorkers: 'block', reducedMotion: 'reduce', ...options })
  const page = await context.newPage()
  await prepare?.(page)
  page.on('pageerror', (error) => uncaughtErrors.push(error.message))
  await watchCamera(page)
  await openAs(page, supervisor, path)
  return page
}

/** Messages of uncaught errors in pages. */
const uncaughtErrors: string[] = []

/** Records the camera tracks that a page opens, so that a test can check whether they were stopped. */
const watchCamera = (page: Page) =>
  page.addInitScript(() => {
    const countCameraTracks: MediaStreamTrack[] = []
    const felt: string[] = []
    const requests: unknown[] = []
    Object.assign(window, { cameraTracks: countCameraTracks, cameraRequests: requests, felt })
    Object.defineProperty(globalThis.navigator, 'vibrate', { value: (pattern: number[]) => felt.push(pattern.join()) > 0 })
    const devices = globalThis.navigator.mediaDevices as MediaDevices | undefined
    if (devices === undefined) return
    const ask = devices.getUserMedia.bind(devices)
    devices.getUserMedia = async (constraints) => {
      requests.push(JSON.parse(JSON.stringify(constraints)))
      const stream = await ask(constraints)
      countCameraTracks.push(...stream.getTracks())
      return stream
    }
  })

/** Returns the number of camera tracks that the page opened, and of those that still run. */
export const countCameraTracks = (page: Page): Promise<{ taken: number; live: number }> =>
  page.evaluate(() => {
    const known = (window as unknown as { cameraTracks: MediaStreamTrack[] }).cameraTracks
    return { taken: known.length, live: known.filter(({ readyState }) => readyState === 'live').length }
  })

/** Returns the vibration patterns since the last call. */
export const takeVibrations = (page: Page): Promise<string[]> => page.evaluate(() => (window as unknown as { felt: string[] }).felt.splice(0))

/** Returns the constraints of each camera request of the page. */
export const cameraRequests = (page: Page): Promise<unknown[]> => page.evaluate(() => (window as unknown as { cameraRequests: unknown[] }).cameraRequests)

/** Opens the scanner. After an identifier that fits, the step with the button is folded. */
export async function openScanner(page: Page): Promise<void> {
  const scan = page.getByRole('button', { name: /^Scan( again)?$/ })
  const folded = page.getByRole('button', { name: /^Validate Inspection/, expanded: false })
  await expect(scan.or(folded).first()).toBeVisible()
  if (!(await scan.isVisible())) await folded.click()
  await scan.click()
}

/** Expects that no page has thrown an uncaught error since the last call. */
export const expectNoUncaughtErrors = (): void => expect(uncaughtErrors.splice(0), 'uncaught errors').toEqual([])
