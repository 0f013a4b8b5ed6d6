import { createStore } from '@/lib/store'
import { clearFormDrafts } from './formDrafts'
import { getCurrentDataOwnerKey, endSessionAndClearData } from './session'

/**
 * Owner key of the person who signed out last, or null before the first sign-out. The owner key names the data that this device stores for
 * a person; subscribers delete that data.
 */
export const lastSignedOutDataOwnerKey = createStore<string | null>(null)

/** Signs out in this tab: ends the session, clears the form drafts and notifies the subscribers of `lastSignedOutDataOwnerKey`. */
export function signOutInThisTab(): void {
  const owner = getCurrentDataOwnerKey()
  endSessionAndClearData()
  clearFormDrafts()
  if (owner !== null) lastSignedOutDataOwnerKey.set(owner)
}
