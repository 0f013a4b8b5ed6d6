import { expect, test, type Page } from './support/test'
import { createEmptyScene, createSceneCamera } from './support/film'
import { createHandScanner, keystrokesOf, unnamedKeystrokesOf, type Stroke } from './support/handScanner'
import { holdRequest, openNotes } from './support/parts'
import { SIZES } from './support/screenshots'
import { findCarAt, takeVibrations, openOnPhone, expectNoUncaughtErrors, importYard, type Yard } from './support/yard'

const [HERE, OTHER] = ['HB20 000123', 'HB20 000777']
const KEY = HERE.replace(' ', '')

test.afterEach(expectNoUncaughtErrors)

const identifier = (page: Page) => page.getByLabel('Vehicle identifier')
const notes = (page: Page) => page.getByLabel('Operator / Team Leader Notes')
const aims = (page: Page) => page.getByText('Aponte a câmera para o código.')
const sheet = (page: Page, vin: string) => page.getByRole('dialog', { name: `Vehicle ${vin}` })
const vehiclePath = (yard: Yard) => `/vehicle/${findCarAt(yard, 'A-1').id}`
const walkPath = (yard: Yard) => `/campaign/${yard.campaign}/walk`

for (const viewport of SIZES) {
  test.describe(`at ${viewport.width}`, () => {
    test('a hand scanner makes one scan of each code, however it is set up and wherever the focus is', async ({ browser, request, baseURL }) => {
      const yard = await importYard(request, [HERE, OTHER])
      const page = await openOnPhone(browser, baseURL ?? '', vehiclePath(yard), { viewport })
      await openNotes(page)
      await expect(notes(page)).toBeVisible()
      await notes(page).fill('left door')
      const scan = await createHandScanner(page)
      const code = keystrokesOf(HERE)
      const ways: [string, Stroke[], string][] = [
        ['Enter on both sides', ['Enter', ...code, 'Enter'], HERE],
        ['asterisks', [...keystrokesOf(`*${HERE}*`), 'Enter'], `*${HERE}*`],
        ['Tab', [...code, 'Tab'], HERE],
        ['Ctrl between the fields', [...keystrokesOf('P5521'), { ctrl: ']' }, ...code, { ctrl: ']' }, ...keystrokesOf('RED'), 'Enter'], HERE],
        ['Alt codes between the fields', [...keystrokesOf('P5521'), { altCode: '029' }, ...code, { altCode: '029' }, ...keystrokesOf('RED'), 'Enter'], HERE],
      ]
      for (const [name, strokes, entered] of ways) {
        for (const inNotes of [false, true]) {
          await test.step(`${name}${inNotes ? ', in the notes' : ''}`, async () => {
            await (inNotes ? notes(page).focus() : page.evaluate(() => (document.activeElement as HTMLElement).blur()))
            await scan(...strokes)
            await expect.poll(() => takeVibrations(page)).toEqual(['60'])
            await expect(identifier(page)).toHaveValue(entered)
            await expect(notes(page)).toHaveValue('left door')
          })
        }
      }
      await test.step('keys without a name, in the notes', async () => {
        await notes(page).focus()
        await scan(...unnamedKeystrokesOf(HERE), 'Enter')
        await expect.poll(() => takeVibrations(page)).toEqual(['60'])
        await expect(notes(page)).toHaveValue('left door')
      })
      await test.step('two codes within 50 ms are two scans', async () => {
        await notes(page).focus()
        await scan(...keystrokesOf(OTHER), 'Enter', ...code, 'Enter')
        await expect.poll(() => takeVibrations(page)).toEqual(['220,90,220', '60'])
        await expect(identifier(page)).toHaveValue(HERE)
        await expect(notes(page)).toHaveValue('left door')
      })
      await test.step('an Enter before the code presses no button, an Enter alone does', async () => {
        const save = page.getByRole('button', { name: 'Save and Exit' })
        await save.focus()
        await scan('Enter', ...code, 'Enter')
        await expect.poll(() => takeVibrations(page)).toEqual(['60'])
        await expect(page.getByRole('dialog')).toHaveCount(0)
        await save.focus()
        await page.keyboard.press('Enter')
        await expect(page.getByRole('dialog', { name: 'Save without a status?' })).toBeVisible()
        await page.getByRole('button', { name: 'NO', exact: true }).click()
      })
      await page.context().close()
    })

    test('a hand scanner opens the right car while walking, and its keys save nothing', async ({ browser, request, baseURL }) => {
      const yard = await importYard(request, [HERE, OTHER])
      const { prepare } = await createSceneCamera({ nothing: createEmptyScene() })
      const page = await openOnPhone(browser, baseURL ?? '', walkPath(yard), { prepare, viewport })
      await expect(aims(page)).toBeVisible()
      const scan = await createHandScanner(page)
      for (const strokes of [['Enter', ...keystrokesOf(HERE), 'Enter'], [...keystrokesOf(`*${HERE}*`), 'Enter'], [...keystrokesOf(KEY), 'Tab'], [...keystrokesOf('P1'), { ctrl: ']' }, ...keystrokesOf(HERE), 'Enter']]) {
        await scan(...strokes)
        await expect(sheet(page, HERE)).toBeVisible()
        expect(await takeVibrations(page)).toEqual(['60'])
        await sheet(page, HERE).getByRole('button', { name: 'Close without saving' }).click()
        await expect(page.getByRole('dialog')).toHaveCount(0)
      }
      await scan(...keystrokesOf(HERE), 'Enter')
      await sheet(page, HERE).getByRole('button', { name: 'ok', exact: true }).click()
      await sheet(page, HERE).getByRole('button', { name: 'Save as ok' }).focus()
      await scan('Enter', ...keystrokesOf(OTHER), 'Enter')
      await expect(sheet(page, OTHER)).toBeVisible()
      await sheet(page, OTHER).getByRole('button', { name: 'Close without saving' }).click()
      await expect(page.getByText('2 left')).toBeVisible()
      await page.context().close()
    })

    test('the sheet of the next car stays open when the save of the car before ends late', async ({ browser, request, baseURL }) => {
      const yard = await importYard(request, [HERE, OTHER])
      const { prepare } = await createSceneCamera({ nothing: createEmptyScene() })
      const page = await openOnPhone(browser, baseURL ?? '', walkPath(yard), { prepare, viewport })
      await expect(aims(page)).toBeVisible()
      const scan = await createHandScanner(page)
      await scan(...keystrokesOf(HERE), 'Enter')
      await sheet(page, HERE).getByRole('button', { name: 'ok', exact: true }).click()
      const release = await holdRequest(page, `**/api/vehicles/${findCarAt(yard, 'A-1').id}`)
      await sheet(page, HERE).getByRole('button', { name: 'Save as ok' }).click()
      await scan(...keystrokesOf(OTHER), 'Enter')
      await sheet(page, OTHER).getByRole('button', { name: 'ng', exact: true }).click()
      release()
      // on a busy machine the app may have stopped waiting for the reply; the save has then ended late as well
      await expect(page.getByText(new RegExp(`${HERE} salvo( neste aparelho)? como ok`))).toBeAttached()
      await expect(sheet(page, OTHER).getByRole('button', { name: 'Save as ng' })).toBeVisible()
      await page.context().close()
    })
  })
}
