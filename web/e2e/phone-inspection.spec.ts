import { expect, test, type Locator } from './support/test'
import { fetchVehicle, saveVehicle } from './support/campaign'
import { getOverflowWidth, openNotes } from './support/parts'
import { supervisor } from './support/people'
import { action, boxOf, expectInReach, opened, problemIsShown, scanned, status } from './support/phoneInspection'
import { PHONE } from './support/screenshots'

const NEXT_MS = 3100
const GAP_PX = 12
const DANGER_GAP_PX = 24

test.use({ viewport: PHONE })

/** Distance in pixels between two parts that do not overlap. */
async function gap(one: Locator, other: Locator): Promise<number> {
  const [a, b] = [await boxOf(one), await boxOf(other)]
  return Math.max(a.x - b.right, b.x - a.right, a.y - b.bottom, b.y - a.bottom)
}

test('everything for one car is in view without scrolling, before and after the scan', async ({ page }) => {
  const { first, second } = await opened(page)
  const always = { 'parking space': page.getByText(first.parking_space, { exact: true }), problem: page.getByText('Check the inflator label'), ok: status(page, 'ok'), ng: status(page, 'ng'), 'Not Found': status(page, 'Not Found'), 'Save and Go Next': action(page, 'Save and Go Next'), 'Save and Exit': action(page, 'Save and Exit'), Cancel: action(page, 'Cancel'), 'next space': page.getByText(second.parking_space, { exact: true }) }
  await expect(always['next space']).toBeVisible()
  await expectInReach(page, { ...always, Scan: action(page, 'Scan'), Manual: action(page, 'Manual'), identifier: page.getByLabel('Vehicle identifier') })
  expect((await boxOf(action(page, 'Scan'))).height).toBeGreaterThanOrEqual(72)

  await scanned(page, first)
  await expect(action(page, 'Scan')).toHaveCount(0)
  const steps = ['Validate Inspection', 'Review Vehicle Details'].map((name) => page.getByRole('button', { name: new RegExp(`^${name} \\(done\\)`) }))
  for (const step of steps) await expect(step).toHaveAttribute('aria-expanded', 'false')
  await expectInReach(page, { ...always, 'Insert Notes': page.getByRole('button', { name: 'Insert Notes' }) })
  await steps[0]?.click()
  await expect(page.getByText('O identificador confere com este veículo.')).toBeVisible()
  await expect(action(page, 'Scan again')).toBeVisible()
})

test('a typed identifier that fits folds the steps by itself, and the statuses come into reach', async ({ page }) => {
  const { first } = await opened(page)
  await action(page, 'Manual').click()
  await page.getByLabel('Vehicle identifier').fill(first.vin_number.slice(-7))
  await expect(page.getByRole('group', { name: 'Select Status' })).toBeFocused()
  const reach = { ok: status(page, 'ok'), ng: status(page, 'ng'), 'Not Found': status(page, 'Not Found') }
  await expectInReach(page, reach)
  const bar = await boxOf(page.locator('[data-bottom-bar]'))
  for (const [name, button] of Object.entries(reach)) expect((await boxOf(button)).bottom, name).toBeLessThanOrEqual(bar.y)
  await expect(page.getByRole('heading', { name: 'Select Status' })).not.toContainText('(done)')
  await status(page, 'ng').click()
  await expect(page.getByRole('heading', { name: 'Select Status' })).toContainText('(done)')
  await expect(page.getByLabel('Operator / Team Leader Notes')).toBeVisible()
})

test('a gloved finger finds large buttons apart, three a row down to 320, and nothing dangerous beside the statuses', async ({ page }) => {
  const { first } = await opened(page)
  await scanned(page, first)
  const three = ['ok', 'ng', 'Not Found'].map((name) => status(page, name)) as [Locator, Locator, Locator]
  const [next, exit, cancel] = [action(page, 'Save and Go Next'), action(page, 'Save and Exit'), action(page, 'Cancel')]
  for (const width of [320, 360, 390]) {
    await page.setViewportSize({ width, height: 844 })
    expect(await getOverflowWidth(page)).toBe(0)
    for (const one of three) expect((await boxOf(one)).height).toBeGreaterThanOrEqual(88)
    expect(new Set(await Promise.all(three.map(async (one) => (await boxOf(one)).y))).size, `one row at ${width}`).toBe(1)
    for (const [one, other] of [[three[0], three[1]], [three[1], three[2]], [next, exit], [next, cancel], [exit, cancel]] as const) expect(await gap(one, other), String(width)).toBeGreaterThanOrEqual(GAP_PX)
    for (const one of [next, exit, ...three]) expect(await gap(one, cancel)).toBeGreaterThanOrEqual(DANGER_GAP_PX)
  }
  await test.step('a bouncing tap chooses once', async () => {
    await three[0].click({ clickCount: 2, delay: 10 })
    await expect(three[0]).toHaveAttribute('aria-pressed', 'true')
  })
})

test('statuses that may not be chosen now are folded, each with its reason; ng opens the notes', async ({ page }) => {
  const { headers, first } = await opened(page)
  await expect(status(page, 'Repair')).toHaveCount(0)
  await page.getByText('Statuses not allowed').click()
  await expect(status(page, 'Repair')).toHaveAccessibleDescription('"Repair" só pode ser escolhido depois que o veículo tiver um status.')
  await expect(status(page, 'S/OFF BL')).toHaveAccessibleDescription('Só um supervisor pode escolher "S/OFF BL".')
  await expect(page.getByLabel('Operator / Team Leader Notes')).toBeHidden()
  await status(page, 'ng').click()
  await expect(page.getByLabel('Operator / Team Leader Notes')).toBeVisible()
  await saveVehicle(page.request, headers, first.id, { status: 'Repair' })
  await page.reload()
  await status(page, 'ng').click() // takes back the choice, which the save of another person does not change
  await expect(status(page, 'Repair OK')).toBeVisible()
  await expect(status(page, 'ok')).toHaveCount(0)
})

for (const size of [PHONE, { width: 360, height: 640 }]) {
  test(`at ${size.width}x${size.height}, other statuses that are opened stand above the save bar`, async ({ page }) => {
    await page.setViewportSize(size)
    await page.emulateMedia({ reducedMotion: 'reduce' })
    const { first } = await opened(page)
    const [summary, others, bar] = [page.getByText('Statuses not allowed'), page.locator('details').filter({ hasText: 'Statuses not allowed' }), page.locator('[data-bottom-bar]')]
    const expectAboveBar = async () => {
      await page.evaluate(() => scrollTo(0, 0))
      await summary.click()
      await expect(status(page, 'S/OFF BL')).toBeVisible()
      await expect.poll(async () => (await boxOf(others)).bottom - (await boxOf(bar)).y).toBeLessThanOrEqual(0)
      expect((await boxOf(summary)).y).toBeGreaterThan(0)
      await summary.click()
    }
    await expectAboveBar()
    await scanned(page, first)
    await expectAboveBar()
  })
}

test('notes of an earlier inspection are shown in few lines, and the statuses stay in view without scrolling', async ({ page }) => {
  const { headers, first } = await opened(page)
  const note = 'Scratch on the left front door, about ten centimetres, reported to the yard in the morning and seen again by the afternoon shift'
  for (const notes of [{ operator_notes: note }, { operator_notes: note, admin_notes: note }]) {
    await saveVehicle(page.request, headers, first.id, notes)
    await page.reload()
    await problemIsShown(page)
    const lines = Object.fromEntries(['Operator', 'Supervisor'].slice(0, Object.keys(notes).length).map((who) => [who, page.getByText(`${who} note: ${note}`)]))
    for (const line of Object.values(lines)) expect((await boxOf(line)).height).toBeLessThan(45)
    const reach = { ...lines, problem: page.getByText('Check the inflator label'), ok: status(page, 'ok'), ng: status(page, 'ng'), 'Not Found': status(page, 'Not Found') }
    const bar = page.locator('[data-bottom-bar]')
    await expectInReach(page, { ...reach, Scan: action(page, 'Scan'), Cancel: action(page, 'Cancel') })
    expect((await boxOf(reach.ok)).bottom).toBeLessThanOrEqual((await boxOf(bar)).y)
    await scanned(page, first)
    await expectInReach(page, { ...reach, 'Save and Go Next': action(page, 'Save and Go Next'), Cancel: action(page, 'Cancel') })
    expect((await boxOf(reach.ok)).bottom).toBeLessThanOrEqual((await boxOf(bar)).y)
    await page.evaluate(() => localStorage.clear()) // no draft is restored in the next round
  }
})

test('a note that was saved is offered on the next car with a defect, and a tap inserts it', async ({ page }) => {
  const { first, second } = await opened(page)
  const notes = page.getByLabel('Operator / Team Leader Notes')
  await scanned(page, first)
  await status(page, 'ng').click()
  await expect(page.getByRole('group', { name: 'Recent notes' })).toHaveCount(0)
  await notes.fill('Connector clip is broken')
  await action(page, 'Save and Go Next').click()
  await action(page, 'Ir agora').click()
  await scanned(page, second)
  await status(page, 'ng').click()
  const note = page.getByRole('button', { name: 'Insert note: Connector clip is broken' })
  expect((await boxOf(note)).height).toBeGreaterThanOrEqual(44)
  await expectInReach(page, { note })
  await note.click()
  await expect(notes).toHaveValue('Connector clip is broken')
  await expect(note).toHaveCount(0)
  await expect(action(page, 'Save and Go Next')).toBeEnabled()
})

test('after Save and Go Next the next space is shown large, Ir agora has the focus, and the bar runs for 3.1 s', async ({ page }) => {
  const { first, second } = await opened(page)
  await scanned(page, first)
  await status(page, 'ok').click()
  await action(page, 'Save and Go Next').click()
  const go = action(page, 'Ir agora')
  await expect(go).toBeFocused()
  const plate = page.getByRole('img', { name: second.parking_space })
  expect(await plate.evaluate((element) => Number.parseFloat(getComputedStyle(element).fontSize))).toBeGreaterThanOrEqual(40)
  const ms = await page.locator('[data-bottom-bar] [aria-hidden] > span').evaluate((bar) => bar.getAnimations()[0]?.effect?.getTiming().duration)
  expect(ms).toBeLessThanOrEqual(NEXT_MS)
  expect(ms).toBeGreaterThan(1000)
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(new RegExp(`/vehicle/${second.id}$`))
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused()
})

test('the vehicle just saved is corrected before the next one opens, without another scan', async ({ page }) => {
  const { headers, first, second } = await opened(page, supervisor)
  await scanned(page, first)
  await status(page, 'ng').click()
  await action(page, 'Save and Go Next').click()
  const correct = action(page, 'Correct this vehicle')
  await correct.focus() // stops the delay
  expect((await boxOf(correct)).height).toBeGreaterThanOrEqual(44)
  expect(await gap(correct, action(page, 'Ir agora'))).toBeGreaterThanOrEqual(GAP_PX)
  await correct.click()
  await expect(page.getByRole('group', { name: 'Select Status' })).toBeFocused()
  await expect(page.getByText('Inspeção já salva. Corrija e salve novamente.')).toBeVisible()
  await expect(page.getByText('O que você digitou e não salvou foi recuperado.')).toHaveCount(0)
  await expect(status(page, 'ng')).toHaveAttribute('aria-pressed', 'true')
  await page.waitForTimeout(NEXT_MS + 400)
  await expect(page).toHaveURL(new RegExp(`/vehicle/${first.id}$`))
  await expect.poll(() => fetchVehicle(page.request, headers, first.id)).toMatchObject({ status: 'ng', version: first.version + 1 })
  await status(page, 'ok').click()
  await (await openNotes(page)).fill('wrong button')
  await action(page, 'Save and Go Next').click()
  await action(page, 'Ir agora').click()
  await expect(page).toHaveURL(new RegExp(`/vehicle/${second.id}$`))
  await expect.poll(() => fetchVehicle(page.request, headers, first.id)).toMatchObject({ status: 'ok', operator_notes: 'wrong button', version: first.version + 2 })
})
