import { expect, test } from './support/test'
import { getOverflowWidth } from './support/parts'
import { action, boxOf, expectInReach, opened, scanned, status } from './support/phoneInspection'
import { PHONE } from './support/screenshots'

test.use({ viewport: PHONE })

test('on its side, a phone shows the notice of a restored draft in one line above the form', async ({ page }) => {
  const { first } = await opened(page)
  await scanned(page, first)
  await page.setViewportSize({ width: PHONE.height, height: PHONE.width })
  await page.evaluate(() => scrollTo(0, 0))
  await page.reload()
  const [notice, discard] = [page.getByText('O que você digitou e não salvou foi recuperado.'), action(page, 'Discard')]
  const [text, button] = [await boxOf(notice), await boxOf(discard)]
  expect(button.x).toBeGreaterThan(text.right)
  expect(Math.abs(text.y + text.height / 2 - button.y - button.height / 2)).toBeLessThanOrEqual(2)
  expect(button.height).toBeGreaterThanOrEqual(44)
  await expectInReach(page, { discard, problem: page.getByText('Check the inflator label'), ok: status(page, 'ok'), ng: status(page, 'ng'), 'Save and Go Next': action(page, 'Save and Go Next') })
})

test('on its side, a phone shows the form above a bar of one row', async ({ page }) => {
  const { first } = await opened(page)
  await page.setViewportSize({ width: PHONE.height, height: PHONE.width })
  const bar = page.locator('[data-bottom-bar]')
  expect((await boxOf(bar)).height).toBeLessThanOrEqual(58)
  await expectInReach(page, { 'parking space': page.getByText(first.parking_space, { exact: true }), identifier: page.getByLabel('Vehicle identifier'), ok: status(page, 'ok'), ng: status(page, 'ng'), 'Not Found': status(page, 'Not Found'), Scan: action(page, 'Scan'), Manual: action(page, 'Manual'), 'Save and Go Next': action(page, 'Save and Go Next'), Cancel: action(page, 'Cancel') })
  await scanned(page, first)
  expect((await boxOf(bar)).height).toBeLessThanOrEqual(58)
  expect(await getOverflowWidth(page)).toBe(0)
  await expectInReach(page, { problem: page.getByText('Check the inflator label'), ok: status(page, 'ok'), 'Save and Go Next': action(page, 'Save and Go Next'), 'Save and Exit': action(page, 'Save and Exit') })
})
