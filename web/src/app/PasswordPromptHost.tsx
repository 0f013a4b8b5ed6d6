import { lazy, Suspense, useEffect } from 'react'
import { passwordPrompt } from '@/api/passwordPrompt'
import { useStore } from '@/lib/store'

const PasswordDialog = lazy(() => import('@/features/account/ConfirmPasswordDialog'))

/** Shows the password dialog while an API call waits for the user to confirm the password. The dialog's code is loaded on first use. */
export function PasswordPromptHost() {
  const prompt = useStore(passwordPrompt)
  useEffect(() => () => passwordPrompt.get()?.cancelled(), []) // unmounted when the session ends
  if (prompt === null) return null
  return (
    <Suspense>
      <PasswordDialog prompt={prompt} />
    </Suspense>
  )
}
