import { expect, test, type Page } from './support/test'
import { nothing, sceneCamera, showing, type Scene } from './support/film'
import { handScanner, keysOf, unnamedKeysOf, type Stroke } from './support/handScanner'
import { askedLenses, failLenses, freeze, lenses, refuseLenses, standstill } from './support/lenses'
import { openNotes } from './support/parts'
import { developer, supervisor } from './support/people'
import { shot, SIZES } from './support/screenshots'
import { headersOf } from './support/session'
import { carAt, feltSignals, onPhone, thrown, tracks, yardOf, type Yard } from './support/yard'

const [HERE, OTHER] = ['HB20 000123', 'HB20 000777']
const KEY = HERE.replace(' ', '')
const GS = '\u001D'
/** Text of a manufacturer's label: part, car and colour in the format of ISO 15434. */
const FIELDS = `[)>\u001E06${GS}P5521-88${GS}${HERE}${GS}RED\u001E\u0004`

test.afterEach(() => expect(thrown.splice(0), 'thrown and caught by nobody').toEqual([]))

const identifier = (page: Page) => page.getByLabel('Vehicle identifier')
const notes = (page: Page) => page.getByLabel('Operator / Team Leader Notes')
const scanDialog = (page: Page) => page.getByRole('dialog', { name: 'Scan the vehicle' })
const aims = (page: Page) => page.getByText('Aponte a câmera para o código.')
const sheet = (page: Page, vin: string) => page.getByRole('dialog', { name: `Vehicle ${vin}` })
/** Opens the scanner. After an identifier that fits, the step with the button is folded. */
async function openScanner(page: Page): Promise<void> {
  const scan = page.getByRole('button', { name: /^Scan( again)?$/ })
  const folded = page.getByRole('button', { name: /^Validate Inspection/, expanded: false })
  await expect(scan.or(folded).first()).toBeVisible()
  if (!(await scan.isVisible())) await folded.click()
  await scan.click()
}
const vehiclePath = (yard: Yard) => `/vehicle/${carAt(yard, 'A-1').id}`
const walkPath = (yard: Yard) => `/campaign/${yard.campaign}/walk`

/** Shows a label to the camera in walk mode, expects the sheet of its car, and closes the sheet without saving. */
async function opensSheet(page: Page, show: (page: Page, scene: string) => Promise<void>, scene: string, vin = HERE): Promise<void> {
  await show(page, scene)
  await expect(sheet(page, vin), scene).toBeVisible()
  await show(page, 'nothing')
  await sheet(page, vin).getByRole('button', { name: 'Close without saving' }).click()
  await expect(page.getByRole('dialog')).toHaveCount(0)
}

for (const viewport of SIZES) {
  test.describe(`at ${viewport.width}`, () => {
    test('a hand scanner makes one scan of each code, however it is set up and wherever the focus is', async ({ browser, request, baseURL }) => {
      const yard = await yardOf(request, [HERE, OTHER])
      const page = await onPhone(browser, baseURL ?? '', vehiclePath(yard), { viewport })
      await openNotes(page)
      await expect(notes(page)).toBeVisible()
      await notes(page).fill('left door')
      const scan = await handScanner(page)
      const code = keysOf(HERE)
      const ways: [string, Stroke[], string][] = [
        ['Enter on both sides', ['Enter', ...code, 'Enter'], HERE],
        ['asterisks', [...keysOf(`*${HERE}*`), 'Enter'], `*${HERE}*`],
        ['Tab', [...code, 'Tab'], HERE],
        ['Ctrl between the fields', [...keysOf('P5521'), { ctrl: ']' }, ...code, { ctrl: ']' }, ...keysOf('RED'), 'Enter'], HERE],
        ['Alt codes between the fields', [...keysOf('P5521'), { altCode: '029' }, ...code, { altCode: '029' }, ...keysOf('RED'), 'Enter'], HERE],
      ]
      for (const [name, strokes, entered] of ways) {
        for (const inNotes of [false, true]) {
          await test.step(`${name}${inNotes ? ', in the notes' : ''}`, async () => {
            await (inNotes ? notes(page).focus() : page.evaluate(() => (document.activeElement as HTMLElement).blur()))
            await scan(...strokes)
            await expect.poll(() => feltSignals(page)).toEqual(['60'])
            await expect(identifier(page)).toHaveValue(entered)
            await expect(notes(page)).toHaveValue('left door')
          })
        }
      }
      await test.step('keys without a name, in the notes', async () => {
        await notes(page).focus()
        await scan(...unnamedKeysOf(HERE), 'Enter')
        await expect.poll(() => feltSignals(page)).toEqual(['60'])
        await expect(notes(page)).toHaveValue('left door')
      })
      await test.step('two codes within 50 ms are two scans', async () => {
        await notes(page).focus()
        await scan(...keysOf(OTHER), 'Enter', ...code, 'Enter')
        await expect.poll(() => feltSignals(page)).toEqual(['220,90,220', '60'])
        await expect(identifier(page)).toHaveValue(HERE)
        await expect(notes(page)).toHaveValue('left door')
      })
      await test.step('an Enter before the code presses no button, an Enter alone does', async () => {
        const save = page.getByRole('button', { name: 'Save and Exit' })
        await save.focus()
        await scan('Enter', ...code, 'Enter')
        await expect.poll(() => feltSignals(page)).toEqual(['60'])
        await expect(page.getByRole('dialog')).toHaveCount(0)
        await save.focus()
        await page.keyboard.press('Enter')
        await expect(page.getByRole('dialog', { name: 'Save without a status?' })).toBeVisible()
        await page.getByRole('button', { name: 'NO', exact: true }).click()
      })
      await page.context().close()
    })

    test('a hand scanner opens the right car while walking, and its keys save nothing', async ({ browser, request, baseURL }) => {
      const yard = await yardOf(request, [HERE, OTHER])
      const { prepare } = await sceneCamera({ nothing: nothing() })
      const page = await onPhone(browser, baseURL ?? '', walkPath(yard), { prepare, viewport })
      await expect(aims(page)).toBeVisible()
      const scan = await handScanner(page)
      for (const strokes of [['Enter', ...keysOf(HERE), 'Enter'], [...keysOf(`*${HERE}*`), 'Enter'], [...keysOf(KEY), 'Tab'], [...keysOf('P1'), { ctrl: ']' }, ...keysOf(HERE), 'Enter']]) {
        await scan(...strokes)
        await expect(sheet(page, HERE)).toBeVisible()
        expect(await feltSignals(page)).toEqual(['60'])
        await sheet(page, HERE).getByRole('button', { name: 'Close without saving' }).click()
        await expect(page.getByRole('dialog')).toHaveCount(0)
      }
      await scan(...keysOf(HERE), 'Enter')
      await sheet(page, HERE).getByRole('button', { name: 'ok', exact: true }).click()
      await sheet(page, HERE).getByRole('button', { name: 'Save as ok' }).focus()
      await scan('Enter', ...keysOf(OTHER), 'Enter')
      await expect(sheet(page, OTHER)).toBeVisible()
      await sheet(page, OTHER).getByRole('button', { name: 'Close without saving' }).click()
      await expect(page.getByText('2 left')).toBeVisible()
      await page.context().close()
    })
  })
}

test('labels with marks, fields, control characters and links name the one car', async ({ browser, request, baseURL }) => {
  const yard = await yardOf(request, [HERE, OTHER])
  const link = (query: string) => `https://dealer.example/v?${query}`
  const labels: [Scene['labels'][number]['format'], string][] = [
    ...['%', '$', '+', '/'].map((sign): (typeof labels)[number] => ['Code39', sign + KEY]),
    ['DataMatrix', FIELDS], ['DataMatrix', `01095012345678903${GS}21${KEY}`], ['DataMatrix', `${HERE}\r\n\u0000`],
    ['QRCode', link('VIN=hb20-000123&c=red')], ['QRCode', link('vin=%48B20%20000123')], ['QRCode', link('c=RED&vin=HB20+000123')],
  ]
  const both = showing('QRCode', link(`a=HB20+000123&b=HB20%20000777`))
  const scenes = Object.fromEntries(labels.map(([format, text]) => [`${format} ${text}`, showing(format, text)]))
  const { prepare, show } = await sceneCamera({ nothing: nothing(), ...scenes, both })
  const page = await onPhone(browser, baseURL ?? '', walkPath(yard), { prepare })
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
    await feltSignals(page)
  })
  await test.step('no control character reaches the field or the records', async () => {
    await show(page, `DataMatrix ${FIELDS}`)
    await openScanner(page)
    await expect.poll(() => feltSignals(page)).toEqual(['60'])
    await expect(page.getByText('O identificador confere com este veículo.')).toBeVisible()
    expect(await identifier(page).inputValue()).not.toMatch(/\p{Cc}/u)
    await page.getByRole('group', { name: 'Select Status' }).getByRole('button', { name: 'ok', exact: true }).click()
    await page.getByRole('button', { name: 'Save and Exit' }).click()
    await expect(page).toHaveURL(new RegExp(`/campaign/${yard.campaign}$`))
    const records = await request.get(`/api/logs/audit?kind=vehicle-changed&hmc=${supervisor.hmc}`, { headers: await headersOf(request, developer) })
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
  const yard = await yardOf(request, [HERE, OTHER])
  const lines = ['P5521-88', '0001', HERE, '2026-11-27']
  const { prepare, show } = await sceneCamera({ nothing: nothing(), straight: sheetOfLines(lines, 0), tilted: sheetOfLines(lines, 17) })
  const page = await onPhone(browser, baseURL ?? '', vehiclePath(yard), { prepare })
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
  await feltSignals(page)
  for (const scene of ['straight', 'tilted']) {
    await opensSheet(page, show, scene)
    await page.waitForTimeout(1500) // a label counts as out of view
  }
  expect(await feltSignals(page)).toEqual(['60', '60'])
  await test.step('while the label stays in view, its car is not opened again and no other line is reported', async () => {
    await show(page, 'straight')
    await expect(sheet(page, HERE)).toBeVisible()
    await page.waitForTimeout(1500) // longer than the time after which a label counts as out of view
    await sheet(page, HERE).getByRole('button', { name: 'Close without saving' }).click()
    await page.waitForTimeout(1500)
    expect(await feltSignals(page)).toEqual(['60'])
    await expect(page.getByRole('dialog')).toHaveCount(0)
  })
  await test.step('after the label was out of view, its car is opened again', async () => {
    await show(page, 'nothing')
    await page.waitForTimeout(1500)
    await opensSheet(page, show, 'straight')
  })
  await page.context().close()
})

const REAR = [
  { id: 'two', label: 'camera2 2, facing back' }, { id: 'one', label: 'camera2 1, facing front' },
  { id: 'zero', label: 'camera2 0, facing back' }, { id: 'three', label: 'camera2 3, facing back' },
]

test('of several rear cameras the main one is taken, another one is chosen and remembered, and one that refuses is passed over', async ({ browser, request, baseURL }) => {
  const yard = await yardOf(request, [HERE])
  const { prepare, show } = await sceneCamera({ nothing: nothing(), label: showing('Code128', HERE) })
  const page = await onPhone(browser, baseURL ?? '', vehiclePath(yard), { prepare: async (fresh) => { await prepare(fresh); await lenses(fresh, REAR) } })
  const reopen = async () => {
    await page.reload()
    await openScanner(page)
    await expect(aims(page)).toBeVisible()
  }
  await reopen()
  expect(await askedLenses(page)).toEqual(['two', 'zero'])
  expect((await tracks(page)).live).toBe(1)
  const other = scanDialog(page).getByRole('button', { name: 'Switch camera' })
  for (const asked of [['two', 'zero', 'two'], ['two', 'zero', 'two', 'three']]) {
    await other.click()
    await expect.poll(() => askedLenses(page)).toEqual(asked)
    await expect(aims(page)).toBeVisible()
    expect((await tracks(page)).live).toBe(1)
  }
  await shot(page, 'scan-lenses')
  await reopen()
  expect(await askedLenses(page)).toEqual(['three'])
  await refuseLenses(page, 'three')
  await reopen()
  expect(await askedLenses(page)).toEqual(['three', 'zero'])
  await refuseLenses(page, 'three', 'zero')
  await reopen()
  expect(await askedLenses(page)).toEqual(['zero', 'two'])
  await show(page, 'label')
  await expect(identifier(page)).toHaveValue(HERE)
  expect((await tracks(page)).live).toBe(0)
  await page.context().close()
})

const setVisible = (page: Page, state: 'hidden' | 'visible') =>
  page.evaluate((value) => {
    Object.defineProperty(document, 'visibilityState', { value, configurable: true })
    document.dispatchEvent(new Event('visibilitychange'))
  }, state)

test('a camera that another app has or that is gone is tried again by itself, with words and Manual meanwhile', async ({ browser, request, baseURL }) => {
  const yard = await yardOf(request, [HERE])
  const { prepare, show } = await sceneCamera({ nothing: nothing(), label: showing('Code128', HERE) })
  const page = await onPhone(browser, baseURL ?? '', vehiclePath(yard), { prepare: async (fresh) => { await prepare(fresh); await lenses(fresh, REAR.slice(2, 3)) } })
  await openScanner(page)
  await expect(aims(page)).toBeVisible()
  await setVisible(page, 'hidden')
  await expect.poll(async () => (await tracks(page)).live).toBe(0)
  await failLenses(page, 'NotReadableError', 'NotReadableError', 'NotFoundError')
  await setVisible(page, 'visible')
  const alert = scanDialog(page).getByRole('alert')
  await expect(alert).toContainText('A câmera está em uso por outro aplicativo.')
  await expect(scanDialog(page).getByText('Nova tentativa automática em instantes.')).toBeVisible()
  await expect(scanDialog(page).getByRole('button', { name: 'Manual' })).toBeEnabled()
  await expect(alert).toContainText('Nenhuma câmera encontrada neste aparelho.')
  await expect(aims(page)).toBeVisible()
  await expect(alert).toHaveCount(0)
  expect(await tracks(page)).toEqual({ taken: 2, live: 1 })

  await test.step('a refusal is tried again when the person comes back from the settings', async () => {
    await setVisible(page, 'hidden')
    await failLenses(page, 'NotAllowedError')
    await setVisible(page, 'visible')
    await expect(alert).toContainText('O acesso à câmera está bloqueado.')
    await setVisible(page, 'hidden')
    await setVisible(page, 'visible')
    await expect(aims(page)).toBeVisible()
  })
  await show(page, 'label')
  await expect(identifier(page)).toHaveValue(HERE)
  expect((await tracks(page)).live).toBe(0)
  await page.context().close()
})

test('a picture that stands still is noticed: it plays again or the camera is restarted, else a line says so', async ({ browser, request, baseURL }) => {
  const yard = await yardOf(request, [HERE])
  const { prepare, show } = await sceneCamera({ nothing: nothing(), label: showing('Code128', HERE) })
  const page = await onPhone(browser, baseURL ?? '', vehiclePath(yard), { prepare: async (fresh) => { await prepare(fresh); await standstill(fresh) } })
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
    await expect.poll(() => tracks(page), noticed).toEqual({ taken: 2, live: 1 })
    await expect(aims(page)).toBeVisible()
    await show(page, 'label')
    await expect(identifier(page)).toHaveValue(HERE)
  })
  await test.step('muted, then unmuted', async () => {
    await page.reload()
    await open()
    await freeze(page, true)
    await expect.poll(async () => (await tracks(page)).taken, noticed).toBe(2)
    await expect(scanDialog(page).getByRole('alert')).toContainText(/A câmera parou|não respondeu|timed out/)
    await expect(scanDialog(page).getByRole('button', { name: 'Manual' })).toBeEnabled()
    expect((await tracks(page)).live).toBeLessThanOrEqual(1)
    await show(page, 'label')
    await freeze(page, false)
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
