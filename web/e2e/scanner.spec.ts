import { expect, test, type Page } from './support/test'
import { createLabelScene, runWithFilm, type Scene } from './support/film'
import { openNotes } from './support/parts'
import { supervisor } from './support/people'
import { takeScreenshots } from './support/screenshots'
import { getHeaders } from './support/session'
import { findCarAt, takeVibrations, openOnPhone, expectNoUncaughtErrors, countCameraTracks, importYard } from './support/yard'

const WHOLE = process.env.SCANNER_WHOLE === '1'
const HERE = 'HB20 000123'
const VIN = '9BWZZZ377VT004251'

test.afterEach(expectNoUncaughtErrors)

const scanButton = (page: Page) => page.getByRole('button', { name: /^Scan( again)?$/ })
const identifier = (page: Page) => page.getByLabel('Vehicle identifier')
const scanDialog = (page: Page) => page.getByRole('dialog', { name: 'Scan the vehicle' })

async function scan(page: Page, expected: string): Promise<void> {
  await scanButton(page).click()
  await expect(identifier(page)).toHaveValue(expected)
  await expect(scanDialog(page)).toHaveCount(0)
}

/** Waits until walk mode has read each of these texts from the camera. */
async function reads(page: Page, texts: string[]): Promise<void> {
  await page.evaluate(() => {
    const read = new Set<string>()
    const look = () => {
      const text = /"(.+)" não está nesta campanha/.exec(document.body.textContent ?? '')?.[1]
      if (text !== undefined) read.add(text)
    }
    new MutationObserver(look).observe(document.body, { subtree: true, childList: true, characterData: true })
    Object.assign(window, { read })
  })
  const missing = () => page.evaluate((all) => all.filter((text) => !(window as unknown as { read: Set<string> }).read.has(text)), texts)
  await expect.poll(missing, { timeout: 110_000 }).toEqual([])
}

const text = (n: number) => `HB20 ${String(700_000 + n)}`
const FORMATS: [Scene['labels'][number]['format'], string, string?][] = [
  ['Code39', text(1)], ['Code128', text(2)], ['Code93', text(3)], ['EAN13', '4006381333931'], ['EAN8', '96385074'], ['UPCA', '036000291452', '0036000291452'],
  ['UPCE', '01234565', '0012345000065'], ['PDF417', text(8)], ['QRCode', text(9)], ['MicroQRCode', '1234567'], ['DataMatrix', text(11)],
]
const lasting = { pictures: 8 }
const TILTED: Scene[] = [15, 30, 45].flatMap((turn) => [createLabelScene('Code39', text(20 + turn), { turn, ...lasting }), createLabelScene('Code128', text(80 + turn), { turn, ...lasting })])
const SMALL: Scene[] = [5, 4, 3, 2].map((module) => createLabelScene('DataMatrix', text(160 + module), { module, ...lasting }))
const FAINT: Scene[] = [
  createLabelScene('Code39', text(171), { white: 60, black: 22, ...lasting }), createLabelScene('DataMatrix', text(172), { white: 60, black: 22, ...lasting }),
  createLabelScene('Code128', text(173), { blur: 1, ...lasting }), createLabelScene('QRCode', text(174), { blur: 1.5, ...lasting }),
  createLabelScene('Code39', text(175), { glare: 0.5, ...lasting }), createLabelScene('Code128', text(176), { perspective: 0.3, turn: 12, ...lasting }),
]
const labelsOf = (scenes: Scene[]) => scenes.flatMap(({ labels }) => labels.map((label) => label.text))

test('every format of the specification is read', async ({ request, baseURL }) => {
  const yard = await importYard(request, [HERE])
  await runWithFilm(FORMATS.map(([format, held]) => createLabelScene(format, held, lasting)), async (browser) => {
    const page = await openOnPhone(browser, baseURL ?? '', `/campaign/${yard.campaign}/walk`)
    await reads(page, FORMATS.map(([, held, plain]) => plain ?? held))
    await page.goto('/campaign-home')
    expect((await countCameraTracks(page)).live).toBe(0)
  }, 6)
})

test('tilted, small and faint labels are read', async ({ request, baseURL }) => {
  const scenes = WHOLE ? [...TILTED, ...SMALL, ...FAINT] : [...TILTED.slice(2, 5), ...SMALL.slice(2, 3), ...FAINT.slice(0, 2)]
  const yard = await importYard(request, [HERE])
  await runWithFilm(scenes, async (browser) => {
    const page = await openOnPhone(browser, baseURL ?? '', `/campaign/${yard.campaign}/walk`)
    await reads(page, labelsOf(scenes))
  }, 6)
})

test('of two codes in view the car is taken, and its place differs from others in words, tone and vibration', async ({ request, baseURL }) => {
  const yard = await importYard(request, [HERE, 'HB20 000124'])
  const [alike, twins] = [await importYard(request, ['HB2O 000I23']), await importYard(request, ['AHB20 000123', 'BHB20 000123'])]
  const both: Scene = { labels: [{ format: 'QRCode', text: 'PART 5521-88', module: 5, y: 390 }, { format: 'Code128', text: HERE, module: 2.6, y: 640 }] }
  await runWithFilm([both], async (browser) => {
    const page = await openOnPhone(browser, baseURL ?? '', `/vehicle/${findCarAt(yard, 'A-1').id}`)
    const open = async (path: string) => {
      await page.goto(path)
      const folded = page.getByRole('button', { name: /^Validate Inspection \(done\)/ }) // of a car that was scanned before
      await expect(scanButton(page).or(folded)).toBeVisible()
      if (await folded.isVisible()) await folded.click()
      await expect(scanButton(page)).toBeEnabled()
    }
    await test.step('the right car', async () => {
      await scanButton(page).click()
      await expect(scanDialog(page).getByLabel('Camera view')).toBeVisible()
      await expect(identifier(page)).toHaveValue(HERE)
      await expect(page.getByText('O identificador confere com este veículo.')).toBeVisible()
      await expect(page.getByRole('button', { name: 'Save and Exit' })).toBeEnabled()
      expect(await takeVibrations(page)).toEqual(['60'])
      await expect.poll(() => countCameraTracks(page)).toEqual({ taken: 1, live: 0 })
      await takeScreenshots(page, 'scanned-right')
    })
    await test.step('another car of the campaign: shows its parking space and a link to it', async () => {
      await open(`/vehicle/${findCarAt(yard, 'A-2').id}`)
      await scan(page, HERE)
      await expect(page.getByText('Este é outro veículo desta campanha:')).toBeVisible()
      expect(await takeVibrations(page)).toEqual(['220,90,220'])
      await takeScreenshots(page, 'scanned-elsewhere')
      await page.getByRole('link', { name: `${HERE} vaga A-1 · abrir` }).click()
      await expect(page).toHaveURL(new RegExp(`/vehicle/${findCarAt(yard, 'A-1').id}$`))
    })
    await test.step('a letter read instead of a digit: suggests the car', async () => {
      await open(`/vehicle/${findCarAt(alike, 'A-1').id}`)
      await scan(page, HERE)
      await expect(page.getByText(/Did you mean this one/)).toBeVisible()
      await expect(page.getByRole('button', { name: 'Save and Exit' })).toBeDisabled()
    })
    await test.step('several cars: shows a list to choose from', async () => {
      await open(`/vehicle/${findCarAt(twins, 'A-1').id}`)
      await scan(page, HERE)
      // the scanned text is a part of the VIN, which is enough to save the vehicle
      await expect(page.getByText('O identificador confere com este veículo.')).toBeVisible()
      await page.goto(`/campaign/${twins.campaign}/walk`)
      await expect(page.getByText('Vários veículos correspondem. Escolha o que está diante de você.')).toBeVisible()
      await page.getByRole('button', { name: /BHB20 000123/ }).click()
      await expect(page.getByRole('dialog', { name: 'Vehicle BHB20 000123' })).toBeVisible()
    })
    await test.step('already inspected', async () => {
      const car = findCarAt(yard, 'A-1')
      const saved = await request.put(`/api/vehicles/${car.id}`, {
        headers: await getHeaders(request, supervisor),
        data: { vin_number: car.vin, status: 'ok', parking_space: car.space, operator_notes: '', admin_notes: '', campaign_id: yard.campaign },
      })
      expect(saved.status()).toBe(200)
      await open(`/vehicle/${car.id}`)
      await scan(page, HERE)
      await expect(page.getByText('Confere, mas este veículo já foi inspecionado.')).toBeVisible()
      expect(await takeVibrations(page)).toEqual(['60,70,60'])
      await open(`/vehicle/${findCarAt(yard, 'A-2').id}`)
      await page.getByRole('button', { name: 'Discard' }).click()
      await scan(page, HERE)
      await expect(page.getByText('Outro veículo desta campanha, já inspecionado.')).toBeVisible()
    })
  })
})

test('a VIN with the import mark before it names its car, also from another campaign', async ({ request, baseURL }) => {
  const yard = await importYard(request, [`${VIN.slice(0, 9)} ${VIN.slice(9)}`])
  await runWithFilm([createLabelScene('Code39', `I${VIN}`, { module: 2.2 })], async (browser) => {
    const page = await openOnPhone(browser, baseURL ?? '', `/vehicle/${findCarAt(yard, 'A-1').id}`)
    await scan(page, `${VIN.slice(0, 9)} ${VIN.slice(9)}`)
    await expect(page.getByText('O identificador confere com este veículo.')).toBeVisible()
    expect(await takeVibrations(page)).toEqual(['60'])

    const strangers = await importYard(request, ['CRETA 900001'])
    await page.goto(`/vehicle/${findCarAt(strangers, 'A-1').id}`)
    await scan(page, `I${VIN}`)
    await expect(page.getByText(`"I${VIN}" não está nesta campanha.`)).toBeVisible()
    await expect(page.getByText(/Este veículo é da campanha Labels/)).toBeVisible()
    expect(await takeVibrations(page)).toEqual(['500'])
    await takeScreenshots(page, 'scanned-other-campaign')
  })
})

test('what a hardware scanner types is a scan, wherever the focus is', async ({ page, request, baseURL, browser }) => {
  await page.close()
  const yard = await importYard(request, [HERE])
  const phone = await openOnPhone(browser, baseURL ?? '', `/vehicle/${findCarAt(yard, 'A-1').id}`)
  const notes = await openNotes(phone)
  await expect(async () => { // a busy machine may type as slowly as a person, so the typing is retried
    await notes.fill('left door')
    await notes.pressSequentially(`*${HERE}*`)
    await phone.keyboard.press('Enter')
    await expect(identifier(phone)).toHaveValue(`*${HERE}*`, { timeout: 1000 })
  }).toPass()
  await expect(phone.getByText('O identificador confere com este veículo.')).toBeVisible()
  await expect(notes).toHaveValue('left door')
  await phone.close()
})
