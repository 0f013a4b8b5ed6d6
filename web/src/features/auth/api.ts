import { useMutation } from '@tanstack/react-query'
import { logSignIn } from '@/api/logs'
import { startSession, popReturnPath } from '@/api/session'
import { signIn } from '@/api/signIn'
import { navigate } from '@/lib/route'
import { clearLockout } from './lockout'

/**
 * Signs in and opens the return path (page saved to open after the sign-in), or else the home page. Records the sign-in in the audit log,
 * unless the person must choose a new password first.
 */
export const useSignIn = () =>
  useMutation({
    mutationFn: signIn,
    onSuccess: ({ session, mustChange }) => {
      clearLockout()
      const target = popReturnPath(session.user) ?? '/campaign-home'
      startSession(session, mustChange)
      navigate(target, { replace: true })
      if (!mustChange) logSignIn() // until the person has chosen a new password, the server rejects every other call
    },
  })
