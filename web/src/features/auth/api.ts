import { useMutation } from '@tanstack/react-query'
import { answer, done, http } from '@/api/client'
import { startSession, takeScreen } from '@/api/session'
import { logTimestamp } from '@/lib/time'
import { navigate } from '@/lib/route'
import { clearLockout } from './lockout'

export interface Credentials {
  hmc: string
  password: string
}

/** Signs in, tells the login log, and goes to the screen that was left, else home. */
export const useSignIn = () =>
  useMutation({
    mutationFn: (body: Credentials) => answer(http.POST('/sessions', { body }), 'token$ id# hmc$ user_type$'),
    onSuccess: ({ token, id, hmc, user_type }) => {
      clearLockout()
      const user = { id, hmc, user_type }
      const target = takeScreen(user) ?? '/campaign-home'
      startSession(token, user)
      navigate(target, { replace: true })
      const body = { timestamp: logTimestamp(new Date()) }
      done(http.POST('/logs/login', { body })).catch(() => console.warn('the login was not logged'))
    },
  })
