import { fileURLToPath } from 'node:url'
import type { Page } from '@playwright/test'

/** Not kept in the repository; `npm run pictures` copies the few that the README shows. */
const FOLDER = new URL('../../screens/', import.meta.url)
export const PHONE = { width: 390, height: 844 }
export const DESK = { width: 1280, height: 800 }
export const SIZES = [PHONE, DESK]

const fileOf = (name: string, { width }: { width: number }) => fileURLToPath(new URL(`${name}-${width}.png`, FOLDER))

/** A picture of the whole screen at the size it has now; of what the window shows while a dialog is open. */
export async function shot(page: Page, name: string): Promise<void> {
  await page.evaluate(() => window.scrollTo(0, 0))
  await page.screenshot({ path: fileOf(name, page.viewportSize() ?? PHONE), animations: 'disabled', fullPage: (await page.getByRole('dialog').count()) === 0 })
}

/** A picture of what the window shows. */
export async function view(page: Page, name: string): Promise<void> {
  await page.evaluate(() => window.scrollTo(0, 0))
  await page.screenshot({ path: fileOf(name, page.viewportSize() ?? PHONE), animations: 'disabled' })
}

/** Pictures of the screen as it is now, on the desk and on the phone, where it goes on. */
export async function picture(page: Page, name: string): Promise<void> {
  for (const size of [DESK, PHONE]) {
    await page.setViewportSize(size)
    await view(page, name)
  }
}
