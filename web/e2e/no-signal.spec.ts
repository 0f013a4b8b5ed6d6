import { expect, test, type APIRequestContext, type Page } from './support/test'
import { createRowsInAllYards, importCampaign, fetchVehicles, type Vehicle } from './support/campaign'
import { writeFilm, createEmptyScene, createLabelScene } from './support/film'
import { developer, signOut, supervisor, uniqueName, type Person } from './support/people'
import { deleteProfileFolder, createProfileFolder, startPhone, type RunningPhone } from './support/phone'
import { getHeaders, waitForServiceWorker, createMember } from './support/session'
import { takeScreenshot } from './support/screenshots'

const VEHICLES = 20_000
const SCANNED = 10
const ALL = 50
const RELOADS = [20, 35]
/** Camera film: pictures per second, pictures of each label (two seconds), and pictures between two labels. */
const [A_SECOND, PICTURES, BETWEEN] = [5, 10, 4]
const A_DAY = 86_400_000

test.setTimeout(900_000)
test.skip(developer.password === '', 'PATIO_DEVELOPER_PASSWORD names no password')

const waiting = (page: Page, count: number) => page.getByRole('link', { name: `${count} pending save${count === 1 ? '' : 's'}` })

/** Fills in and submits the sign-in form of the current page. */
async function signInHere(page: Page, { hmc, password }: Person): Promise<void> {
  await page.getByLabel('HMC (Register Number)').fill(hmc)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** Scans and saves the cars of the film until `count` different ones are saved. Returns their VINs in order. */
async function scan(page: Page, count: number): Promise<string[]> {
  const done: string[] = []
  while (done.length < count) {
    const sheet = page.getByRole('dialog')
    await expect(sheet).toBeVisible({ timeout: 60_000 })
    const vin = ((await sheet.getAttribute('aria-label')) ?? '').replace('Vehicle ', '')
    if (done.includes(vin)) await sheet.getByRole('button', { name: 'Close without saving' }).click()
    else {
      const ok = sheet.getByRole('button', { name: 'ok', exact: true })
      await ok.click()
      await expect(ok).toHaveAttribute('aria-pressed', 'true')
      await sheet.getByRole('button', { name: 'Save as ok' }).click()
      await expect(page.getByText(`${vin} salvo neste aparelho como ok.`)).toBeVisible()
      done.push(vin)
    }
    await expect(page.getByRole('dialog', { name: `Vehicle ${vin}`, exact: true })).toHaveCount(0) // the sheet of the next vehicle may be open already
  }
  return done
}

/** Types the identifier of the shown car, saves it and opens the next one. Returns the VIN of the saved car. */
async function type(page: Page, status: string): Promise<string> {
  const manual = page.getByRole('button', { name: 'Manual' })
  const place = page.getByRole('form', { name: 'Vehicle Inspection' }).locator('.mono').first()
  await expect(place).toBeVisible()
  const [vin, address] = [(await place.textContent()) ?? '', page.url()]
  if (await manual.isVisible()) await manual.click()
  await page.getByLabel('Vehicle identifier').fill(vin.slice(-6))
  await page.getByRole('group', { name: 'Select Status' }).getByRole('button', { name: status, exact: true }).click()
  await page.getByRole('button', { name: 'Save and Go Next' }).click()
  await page.getByText('Ir agora').last().click()
  await expect(page).not.toHaveURL(address)
  return vin
}

interface AuditRecord {
  hmc: string
  summary: string
  at: string
  new: { claimed_device_time?: string; claimed_device?: string; status?: string }
}

/** Returns the saves of a person in the audit log, oldest first. */
async function recordsOf(request: APIRequestContext, hmc: string): Promise<AuditRecord[]> {
  const headers = await getHeaders(request, developer)
  const found: AuditRecord[] = []
  for (let page = 0; ; page++) {
    const response = await request.get(`/api/logs/audit?kind=vehicle-changed&hmc=${encodeURIComponent(hmc)}&page=${page}`, { headers })
    const { events } = (await response.json()) as { events: AuditRecord[] }
    if (events.length === 0) return found.toReversed()
    found.push(...events)
  }
}

test('fifty cars inspected without a signal outlive reloads, a killed browser and another person, and arrive once, in order', async ({ request, baseURL }) => {
  const headers = await getHeaders(request, supervisor)
  let campaign = 0
  await expect(async () => {
    campaign = await importCampaign(request, headers, uniqueName('No signal'), createRowsInAllYards(VEHICLES))
  }).toPass({ timeout: 150_000 })
  const [mine, other] = [await createMember(request, 'op'), await createMember(request, 'op')]
  const labels = (await fetchVehicles(request, headers, campaign)).slice(-SCANNED).map(({ vin_number }) => vin_number)
  const disk = createProfileFolder()
  const scenes = labels.flatMap((vin) => [createLabelScene('Code128', vin, { pictures: PICTURES, turn: 5 }), createEmptyScene(BETWEEN)])
  const camera = ['--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream', `--use-file-for-fake-video-capture=${await writeFilm(scenes, disk, A_SECOND)}`]
  let phone: RunningPhone | null = null
  const done: string[] = []
  const begun = Date.now()
  try {
    phone = await startPhone(disk, ...camera)
    let { page, context } = phone
    await test.step('signs in, makes the list available offline and goes offline', async () => {
      await page.goto(baseURL ?? '')
      await signInHere(page, mine)
      await expect(page).toHaveURL(/\/campaign-home$/)
      await page.goto(`${baseURL}/campaign/${campaign}`)
      await page.getByRole('button', { name: 'Make available offline' }).click()
      await expect(page.getByText('Pronto. Esta lista já funciona offline.')).toBeVisible({ timeout: 60_000 })
      await waitForServiceWorker(page)
      await context.setOffline(true)
    })
    await test.step('scans some cars and types the others, with two reloads', async () => {
      const at = (path: string) => `${baseURL}${path}`
      await page.goto(at(`/campaign/${campaign}/walk`))
      done.push(...(await scan(page, SCANNED)))
      await page.goto(at(`/campaign/${campaign}`))
      const seen = createRowsInAllYards(VEHICLES).filter(({ space }) => !space.startsWith('-')).length // operators do not see the dash
      await expect(page.getByText(`${SCANNED} / ${String(seen).replace(/(\d{3})$/, ' $1')}`)).toBeVisible()
      await page.getByRole('button', { name: /^(Start|Continue) campaign$/ }).click()
      while (done.length < ALL) {
        if (RELOADS.includes(done.length)) await page.reload()
        done.push(await type(page, done.length % 3 === 0 ? 'ng' : 'ok'))
      }
      expect(new Set(done).size).toBe(ALL)
      await page.goto(at('/outbox'))
      await expect(waiting(page, ALL)).toBeVisible()
      await expect(page.getByRole('region', { name: 'Pending saves' }).getByRole('listitem')).toHaveCount(ALL)
    })
    await test.step('kills and restarts the browser while offline', async () => {
      await phone?.kill()
      phone = await startPhone(disk, ...camera)
      page = phone.page
      context = phone.context
      await context.setOffline(true)
      await page.goto(baseURL ?? '')
      await expect(page.getByText(`Neste aparelho há ${ALL} inspeções não enviadas.`, { exact: false })).toBeVisible()
      await signInHere(page, mine)
      await expect(page.getByText('Sem conexão. Verifique a internet e tente novamente.')).toBeVisible()
      await takeScreenshot(page, 'sign-in-held')
    })
    await test.step('another person signs in: no save is sent, and only the number of saves is shown', async () => {
      await context.setOffline(false)
      await signInHere(page, other)
      await expect(page).toHaveURL(/\/campaign-home$/)
      await page.goto(`${baseURL}/outbox`)
      await expect(page.getByText(`${ALL} inspeções de outras pessoas aguardam neste aparelho.`, { exact: false })).toBeVisible()
      await expect(page.getByText(done[0] ?? '', { exact: true })).toHaveCount(0)
      await takeScreenshot(page, 'outbox-others')
      expect((await recordsOf(request, other.hmc)).length).toBe(0)
      expect((await recordsOf(request, mine.hmc)).length).toBe(0)
      await signOut(page)
    })
    await test.step('the first person signs in online: all saves arrive once, in order, with the right person and time', async () => {
      await signInHere(page, mine)
      await expect(page).toHaveURL(/\/campaign-home$/)
      await page.goto(`${baseURL}/outbox`)
      await expect(page.getByText('Tudo enviado.', { exact: false })).toBeVisible({ timeout: 120_000 })
      const records = await recordsOf(request, mine.hmc)
      expect(records.map(({ summary }) => done.find((vin) => summary.startsWith(`${vin} `)))).toEqual(done)
      expect(records.map(({ summary }) => / scanned$| typed$/.exec(summary)?.[0].trim())).toEqual(done.map((_, index) => (index < SCANNED ? 'scanned' : 'typed')))
      const times = records.map((record) => Date.parse(record.new.claimed_device_time ?? ''))
      expect(times).toEqual(times.toSorted((a, b) => a - b))
      expect([(times[0] ?? 0) >= begun, (times.at(-1) ?? A_DAY ** 2) <= Date.now()]).toEqual([true, true])
      expect(new Set(records.map((record) => record.new.claimed_device)).size).toBe(1)
      const stored: Vehicle[] = (await fetchVehicles(request, headers, campaign)).filter(({ inspected }) => inspected)
      expect(stored.map(({ vin_number }) => vin_number).toSorted()).toEqual(done.toSorted())
    })
  } finally {
    await phone?.kill()
    deleteProfileFolder(disk)
  }
})
