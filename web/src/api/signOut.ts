import { createStore } from '@/lib/store'
import { clearFormDrafts } from './formDrafts'
import { getCurrentOwner, clearSessionData } from './session'

/**
 * Owner key of the person who signed out last, or null before the first sign-out. The owner key names the data that this device stores for
 * a person; subscribers delete that data.
 */
export const lastSignedOutOwner = createStore<string | null>(null)

/** Signs out in this tab: ends the session, clears the form drafts and notifies the subscribers of `lastSignedOutOwner`. */
export function signOutInThisTab(): void {
  const owner = getCurrentOwner()
  clearSessionData()
  clearFormDrafts()
  if (owner !== null) lastSignedOutOwner.set(owner)
}
