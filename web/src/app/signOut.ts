import { endSessionAtServer } from '@/api/endedSessions'
import { getCurrentSession } from '@/api/session'
import { signedOutOwner, signOutInThisTab } from '@/api/signOut'
import { navigate } from '@/lib/route'
import { queryClient } from './queries'

/** Signs out: ends the session in this tab at once, and at the server as soon as it can be reached. */
export function signOut(): void {
  const session = getCurrentSession()
  if (session !== null) endSessionAtServer(session).catch(() => console.warn('failed to end the session at the server, retrying at the next contact'))
  signOutInThisTab()
  navigate('/', { replace: true })
  queryClient.clear()
}

/** Deletes what this device stores for a person after each sign-out, including sign-outs that the server causes by ending the session. */
export function deleteDataAfterSignOut(): void {
  signedOutOwner.subscribe(() => {
    const owner = signedOutOwner.get()
    if (owner === null) return
    import('@/offline/personalData').then(({ deletePersonalData }) => deletePersonalData(owner)).catch(() => console.warn('failed to delete the data of the signed-out person'))
  })
}
