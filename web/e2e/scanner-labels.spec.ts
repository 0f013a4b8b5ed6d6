import { expect, test, type Page } from './support/test'
import { createEmptyScene, createSceneCamera, createLabelScene, type Scene } from './support/film'
import { developer, supervisor } from './support/people'
import { getHeaders } from './support/session'
import { findCarAt, takeVibrations, openOnPhone, openScanner, expectNoUncaughtErrors, importYard, type Yard } from './support/yard'

const [HERE, OTHER] = ['HB20 000123', 'HB20 000777']
const KEY = HERE.replace(' ', '')
const GS = '\u001D'
/** Text of a manufacturer's label: part, car and colour in the format of ISO 15434. */
const FIELDS = `[)>\u001E06${GS}P5521-88${GS}${HERE}${GS}RED\u001E\u0004`

test.afterEach(expectNoUncaughtErrors)

const identifier = (page: Page) => page.getByLabel('Vehicle identifier')
const aims = (page: Page) => page.getByText('Aponte a câmera para o código.')
const sheet = (page: Page, vin: string) => page.getByRole('dialog', { name: `Vehicle ${vin}` })
const vehiclePath = (yard: Yard) => `/vehicle/${findCarAt(yard, 'A-1').id}`
const walkPath = (yard: Yard) => `/campaign/${yard.campaign}/walk`

/** Shows a label to the camera in walk mode, expects the sheet of its car, and closes the sheet without saving. */
async function opensSheet(page: Page, show: (page: Page, scene: string) => Promise<void>, scene: string, vin = HERE): Promise<void> {
  await show(page, scene)
  await expect(sheet(page, vin), scene).toBeVisible()
  await show(page, 'nothing')
  await sheet(page, vin).getByRole('button', { name: 'Close without saving' }).click()
  await expect(page.getByRole('dialog')).toHaveCount(0)
}

test('labels with marks, fields, control characters and links name the one car', async ({ browser, request, baseURL }) => {
  const yard = await importYard(request, [HERE, OTHER])
  const link = (query: string) => `https://dealer.example/v?${query}`
  const labels: [Scene['labels'][number]['format'], string][] = [
    ...['%', '$', '+', '/'].map((sign): (typeof labels)[number] => ['Code39', sign + KEY]),
    ['DataMatrix', FIELDS], ['DataMatrix', `01095012345678903${GS}21${KEY}`], ['DataMatrix', `${HERE}\r\n\u0000`],
    ['QRCode', link('VIN=hb20-000123&c=red')], ['QRCode', link('vin=%48B20%20000123')], ['QRCode', link('c=RED&vin=HB20+000123')],
  ]
  const both = createLabelScene('QRCode', link(`a=HB20+000123&b=HB20%20000777`))
  const scenes = Object.fromEntries(labels.map(([format, text]) => [`${format} ${text}`, createLabelScene(format, text)]))
  const { prepare, show } = await createSceneCamera({ nothing: createEmptyScene(), ...scenes, both })
  const page = await openOnPhone(browser, baseURL ?? '', walkPath(yard), { prepare })
  const outside: string[] = []
  page.context().on('request', (sent) => sent.url().includes('dealer.example') && outside.push(sent.url()))
  await expect(aims(page)).toBeVisible()
  for (const scene of Object.keys(scenes)) await opensSheet(page, show, scene)
  await test.step('a link with two cars: a list to pick from', async () => {
    await show(page, 'both')
    await expect(page.getByText('Vários veículos correspondem. Escolha o que está diante de você.')).toBeVisible()
    await page.getByRole('button', { name: new RegExp(OTHER) }).click()
    await expect(sheet(page, OTHER)).toBeVisible()
    await page.goto(vehiclePath(yard))
    await openScanner(page)
    await show(page, 'both')
    await expect(page.getByText('Vários veículos correspondem. Escolha o que está diante de você.')).toBeVisible()
    await expect(page.getByRole('button', { name: 'Save and Exit' })).toBeDisabled()
    await page.getByRole('button', { name: `${HERE} na vaga A-1`, exact: true }).click()
    await expect(identifier(page)).toHaveValue(HERE)
    await takeVibrations(page)
  })
  await test.step('no control character reaches the field or the records', async () => {
    await show(page, `DataMatrix ${FIELDS}`)
    await openScanner(page)
    await expect.poll(() => takeVibrations(page)).toEqual(['60'])
    await expect(page.getByText('O identificador confere com este veículo.')).toBeVisible()
    expect(await identifier(page).inputValue()).not.toMatch(/\p{Cc}/u)
    await page.getByRole('group', { name: 'Select Status' }).getByRole('button', { name: 'ok', exact: true }).click()
    await page.getByRole('button', { name: 'Save and Exit' }).click()
    await expect(page).toHaveURL(new RegExp(`/campaign/${yard.campaign}$`))
    const records = await request.get(`/api/logs/audit?kind=vehicle-changed&hmc=${supervisor.hmc}`, { headers: await getHeaders(request, developer) })
    const isControl = (character: string) => character < ' ' && !'\n\r\t'.includes(character)
    expect(JSON.stringify(JSON.parse(await records.text())).split('\\u00').filter((rest) => /^[01]/.test(rest))).toHaveLength(0)
    expect([...(await records.text())].filter(isControl)).toEqual([])
  })
  expect(outside).toEqual([])
  await page.context().close()
})

/** Draws a label of four Code 39 lines, rotated by an angle in degrees. The third line is the car's. */
function sheetOfLines(lines: string[], turn: number): Scene {
  const angle = (turn * Math.PI) / 180
  const middle = 540
  return {
    labels: lines.map((text, index) => {
      const away = (index - (lines.length - 1) / 2) * 120
      return { format: 'Code39', text, module: 2.2, turn, x: middle - away * Math.sin(angle), y: middle + away * Math.cos(angle) }
    }),
  }
}

test('of a label with four lines the car is taken, tilted as well, and never a part of its identifier', async ({ browser, request, baseURL }) => {
  const yard = await importYard(request, [HERE, OTHER])
  const lines = ['P5521-88', '0001', HERE, '2026-11-27']
  const { prepare, show } = await createSceneCamera({ nothing: createEmptyScene(), straight: sheetOfLines(lines, 0), tilted: sheetOfLines(lines, 17) })
  const page = await openOnPhone(browser, baseURL ?? '', vehiclePath(yard), { prepare })
  for (const scene of ['straight', 'tilted']) {
    await page.goto(vehiclePath(yard))
    await expect(identifier(page)).toBeVisible()
    await openScanner(page)
    await show(page, scene)
    await expect(identifier(page)).not.toHaveValue('')
    expect(await identifier(page).inputValue(), scene).toBe(HERE)
    await page.reload()
    await page.getByRole('button', { name: 'Discard' }).click()
  }
  await page.goto(walkPath(yard))
  await expect(aims(page)).toBeVisible()
  await takeVibrations(page)
  for (const scene of ['straight', 'tilted']) {
    await opensSheet(page, show, scene)
    await page.waitForTimeout(1500) // a label counts as out of view
  }
  expect(await takeVibrations(page)).toEqual(['60', '60'])
  await test.step('while the label stays in view, its car is not opened again and no other line is reported', async () => {
    await show(page, 'straight')
    await expect(sheet(page, HERE)).toBeVisible()
    await page.waitForTimeout(1500) // longer than the time after which a label counts as out of view
    await sheet(page, HERE).getByRole('button', { name: 'Close without saving' }).click()
    await page.waitForTimeout(1500)
    expect(await takeVibrations(page)).toEqual(['60'])
    await expect(page.getByRole('dialog')).toHaveCount(0)
  })
  await test.step('after the label was out of view, its car is opened again', async () => {
    await show(page, 'nothing')
    await page.waitForTimeout(1500)
    await opensSheet(page, show, 'straight')
  })
  await page.context().close()
})
