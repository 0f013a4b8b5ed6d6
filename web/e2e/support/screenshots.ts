import { fileURLToPath } from 'node:url'
import type { Page } from '@playwright/test'

/** Folder of the screenshots, which git ignores. `npm run pictures` copies the ones that the README shows. */
const FOLDER = new URL('../../screens/', import.meta.url)
export const PHONE = { width: 390, height: 844 }
export const DESK = { width: 1280, height: 800 }
export const SIZES = [PHONE, DESK]

const fileOf = (name: string, { width }: { width: number }) => fileURLToPath(new URL(`${name}-${width}.png`, FOLDER))

/** Whether screenshots are taken. They take a tenth of the time of all tests and prove nothing, so that a person asks for them. */
const ASKED = process.env.PATIO_TEST_SCREENSHOTS === '1'

/** Takes a screenshot of the full page, or of the window while a dialog is open. */
export async function takeScreenshot(page: Page, name: string): Promise<void> {
  if (!ASKED) return
  await page.evaluate(() => window.scrollTo(0, 0))
  await page.screenshot({ path: fileOf(name, page.viewportSize() ?? PHONE), animations: 'disabled', fullPage: (await page.getByRole('dialog').count()) === 0 })
}

/** Takes a screenshot of the window. */
export async function takeWindowScreenshot(page: Page, name: string): Promise<void> {
  if (!ASKED) return
  await page.evaluate(() => window.scrollTo(0, 0))
  await page.screenshot({ path: fileOf(name, page.viewportSize() ?? PHONE), animations: 'disabled' })
}

/** Takes screenshots of the current screen at desktop and phone size. The page then stays at phone size. */
export async function takeScreenshots(page: Page, name: string): Promise<void> {
  for (const size of ASKED ? [DESK, PHONE] : [PHONE]) {
    await page.setViewportSize(size)
    await takeWindowScreenshot(page, name)
  }
}
