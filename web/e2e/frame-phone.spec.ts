import { expect, test } from './support/test'
import { supervisor, uniqueName } from './support/people'
import { openAs, getSharedMember } from './support/session'

test.describe('on a phone held sideways', () => {
  test.use({ viewport: { width: 844, height: 390 } })

  test('header and title are low, and the card is a chip', async ({ page }) => {
    await openAs(page, await getSharedMember(page.request, 'op'), '/campaign-home')
    const heading = page.getByRole('heading', { level: 1 })
    await expect(heading).toBeVisible()
    expect((await page.getByRole('banner').boundingBox())?.height).toBe(48)
    await expect(page.getByRole('banner').getByRole('region', { name: 'Signed in as' })).toBeVisible()
    const box = await heading.boundingBox()
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThan(90)
  })

  test('sign-in fits the window with its error, which also comes into view in other windows', async ({ page }) => {
    await page.goto('/')
    const [hmc, password] = [page.getByRole('textbox', { name: 'HMC (Register Number)' }), page.getByLabel('Password')]
    const button = page.getByRole('button', { name: 'Sign in' })
    const error = page.getByRole('alert')
    await expect(button).toBeInViewport({ ratio: 1 })
    expect((await page.locator('header').boundingBox())?.height).toBe(48)
    const [left, right, below] = [await hmc.boundingBox(), await password.boundingBox(), await button.boundingBox()]
    expect(right?.y).toBe(left?.y)
    expect(below?.y).toBeGreaterThan((left?.y ?? 0) + (left?.height ?? 0))
    await hmc.fill(uniqueName('nobody'))
    await password.fill('not-the-password')
    for (const [width, height] of [[844, 390], [640, 360], [390, 560], [1280, 500]] as const) {
      await page.setViewportSize({ width, height })
      await page.evaluate(() => window.scrollTo(0, 0))
      await password.press('Enter')
      await expect(error).toBeInViewport({ ratio: 1 })
      if (height < 480) await expect(button).toBeInViewport({ ratio: 1 })
    }
  })

  test('a long menu stays below the header and clear of the edge', async ({ page }) => {
    await openAs(page, supervisor, '/user-management?panel=active')
    const [header, menu] = [page.getByRole('banner'), page.getByRole('menu')]
    const actions = page.getByRole('main').locator('[aria-haspopup=menu]').first()
    for (const [width, height] of [[844, 390], [568, 320]] as const) {
      await page.setViewportSize({ width, height })
      await actions.evaluate((button) => button.scrollIntoView({ block: 'center' }))
      await expect(async () => { // the end of the scrolling may close the menu
        if (!(await menu.isVisible())) await actions.click()
        await expect(menu).toBeInViewport({ timeout: 500 })
      }).toPass()
      const [top, box] = [await header.boundingBox(), await menu.boundingBox()]
      expect(box?.y).toBeGreaterThanOrEqual((top?.height ?? 0) + 8)
      expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(height - 8)
      await page.keyboard.press('End')
      await expect(menu.getByRole('menuitem').last()).toBeInViewport({ ratio: 1 })
      await page.keyboard.press('Escape')
    }
  })
})

test('on a phone the card stands below the header of home only, and is a chip in the header elsewhere', async ({ page }) => {
  const operator = await getSharedMember(page.request, 'op')
  await openAs(page, operator, '/campaign-home')
  const card = page.getByRole('region', { name: 'Signed in as' })
  const chip = page.getByRole('banner').getByRole('region', { name: 'Signed in as' })
  await expect(card).toBeVisible()
  await expect(chip).toHaveCount(0)
  await page.goto('/yard')
  await expect(chip).toContainText(`HMC ${operator.hmc}`)
  await expect(chip).toContainText('Operator')
  await expect(chip.locator('svg')).toBeVisible()
  await expect(card).toHaveCount(1)
  await openAs(page, await getSharedMember(page.request, 'tm'), '/yard')
  await page.evaluate(() => localStorage.setItem('language', 'pt-BR'))
  await page.reload()
  const role = page.getByRole('banner').getByText('Líder de equipe')
  for (const width of [360, 380, 390]) {
    await page.setViewportSize({ width, height: 844 })
    await expect(role).toBeVisible()
    expect(await role.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth), `the access level at ${width}`).toBe(0)
  }
})

test('on a tablet, the card of home and the account are aligned with the content', async ({ page }) => {
  await page.setViewportSize({ width: 768, height: 1024 })
  const heading = page.getByRole('heading', { level: 1 })
  await openAs(page, await getSharedMember(page.request, 'op'), '/campaign-home')
  const [card, title] = [await page.getByRole('region', { name: 'Signed in as' }).boundingBox(), await heading.boundingBox()]
  expect([card?.x, (card?.x ?? 0) + (card?.width ?? 0)]).toEqual([title?.x, 768 - (title?.x ?? 0)])
  await page.goto('/account')
  const form = await page.getByRole('form').first().boundingBox()
  expect(Math.abs((form?.x ?? 0) - (768 - (form?.x ?? 0) - (form?.width ?? 0)))).toBeLessThan(2)
})
