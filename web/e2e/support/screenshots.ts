import { fileURLToPath } from 'node:url'
import type { Page } from '@playwright/test'

const FOLDER = new URL('../screenshots/', import.meta.url)
export const PHONE = { width: 390, height: 844 }
export const DESK = { width: 1280, height: 800 }

/** Pictures of the screen as it is now, on the phone and on the desk. */
export async function picture(page: Page, name: string): Promise<void> {
  for (const [kind, size] of [['desk', DESK], ['phone', PHONE]] as const) {
    await page.setViewportSize(size)
    await page.screenshot({ path: fileURLToPath(new URL(`${name}-${kind}.png`, FOLDER)), animations: 'disabled' })
  }
}
