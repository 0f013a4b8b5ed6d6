import type { Locator, Page } from '@playwright/test'

/** Options with which Chromium replaces the camera by a test picture and allows its use without asking. */
export const FAKE_CAMERA = ['--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream']

/** Dialog of the scanner on the vehicle page. */
export const dialog = (page: Page) => page.getByRole('dialog', { name: 'Scan the vehicle' })
export const openScanner = (page: Page) => page.getByRole('button', { name: 'Scan', exact: true }).click()

/** Returns the position and size of a visible part. */
export async function boxOf(part: Locator) {
  const box = await part.boundingBox()
  if (box === null) throw new Error('it is not shown')
  return box
}
