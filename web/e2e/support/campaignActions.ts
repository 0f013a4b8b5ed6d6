import type { Page } from '@playwright/test'
import { chooseFromMenu } from './parts'

/** Chooses an action from the 'More actions' menu of the campaign on the screen. */
export async function chooseMenuAction(page: Page, action: string): Promise<void> {
  await chooseFromMenu(page.getByRole('button', { name: 'More actions' }), page.getByRole('menuitem', { name: action, exact: true }))
}

/** Window width in pixels from which the offline action of a campaign is in the 'More actions' menu. */
const DESK_WIDTH = 900

/** Makes the campaign on the screen, or its chosen yard, available offline. */
export async function makeAvailableOffline(page: Page, action = 'Make available offline'): Promise<void> {
  if ((page.viewportSize()?.width ?? 0) < DESK_WIDTH) await page.getByRole('button', { name: action }).click()
  else await chooseMenuAction(page, action)
}
