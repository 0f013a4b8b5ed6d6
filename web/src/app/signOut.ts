import { endSessionOnServer } from '@/api/endedSessions'
import { getCurrentDataOwnerKey, getCurrentSession } from '@/api/session'
import { lastSignedOutDataOwnerKey, signOutInThisTab } from '@/api/signOut'
import { createArrayGuard } from '@/lib/json'
import { navigate } from '@/lib/route'
import { readStoredJson, writeStoredJson } from '@/lib/storage'
import { queryClient } from './queryClient'

/** Signs the user out: ends the session in this tab at once, and at the server as soon as the server can be reached. */
export function signOut(): void {
  const session = getCurrentSession()
  if (session !== null) endSessionOnServer(session).catch(() => console.warn('failed to end the session at the server, retrying at the next contact'))
  signOutInThisTab()
  navigate('/', { replace: true })
  queryClient.clear()
}

/**
 * Local storage key of the list of users whose data must still be deleted from this device. The list contains owner keys; this device
 * stores the data of a user under the user's owner key.
 */
const PENDING = 'pendingDeletions'
const isOwners = createArrayGuard((owner): owner is string => typeof owner === 'string')

/**
 * Deletes a user's data from this device after each sign-out, also when the server ended the session. A deletion that was interrupted by
 * closing the page is completed on the next start.
 */
export function deleteLocalDataOnSignOut(): void {
  lastSignedOutDataOwnerKey.subscribe(() => {
    const owner = lastSignedOutDataOwnerKey.get()
    if (owner === null) return
    writeStoredJson(localStorage, PENDING, [...readPending(), owner])
    deletePending()
  })
  deletePending()
}

const readPending = (): string[] => readStoredJson(localStorage, PENDING, isOwners) ?? []

function deletePending(): void {
  const owners = readPending()
  if (owners.length > 0) void deleteDataOf(owners).catch(() => console.warn('failed to delete the data of signed-out people, retrying at the next start'))
}

async function deleteDataOf(owners: string[]): Promise<void> {
  const { deletePersonalData } = await import('@/offline/personalData')
  // Skips a person who has signed in again meanwhile and uses the data.
  for (const owner of owners) if (owner !== getCurrentDataOwnerKey()) await deletePersonalData(owner)
  const left = readPending().filter((owner) => !owners.includes(owner))
  writeStoredJson(localStorage, PENDING, left.length > 0 ? left : null)
}
