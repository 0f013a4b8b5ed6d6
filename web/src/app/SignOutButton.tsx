import { useState, type ReactNode } from 'react'
import { getDataOwnerKey, type SessionUser } from '@/api/session'
import { defineFeatureText } from '@/lib/text/defineFeatureText'
import { useOwnPendingSaveCount } from '@/offline/pendingSaveCount'
import { ConfirmDialog } from '@/ui/Dialog'
import { signOut } from './signOut'

export const { catalogues, useFeatureText } = defineFeatureText(
  {
    'signOut.question': 'Sign out with {n} pending {n|save|saves}?',
    'signOut.text': 'O que falta enviar fica guardado neste aparelho, e só é enviado quando você entrar aqui de novo. Com sinal, espere o envio antes de sair.',
  },
  {
    'signOut.text': 'What is not sent yet stays on this device, and is sent only when you sign in here again. With a signal, wait until it is sent.',
  },
  {
    'signOut.question': 'Sair com {n} {n|inspeção|inspeções} por enviar?',
  },
)

interface SignOutButtonProps {
  user: SessionUser
  className: string | undefined
  children: ReactNode
}

/** Button that signs the user out. Shows a confirmation dialog first if the user has saves that are not sent yet. */
export function SignOutButton({ user, className, children }: SignOutButtonProps) {
  const t = useFeatureText()
  const { open: count } = useOwnPendingSaveCount(getDataOwnerKey(user))
  const [isAsked, setIsAsked] = useState(false)
  return (
    <>
      <button type="button" className={className} onClick={() => (count > 0 ? setIsAsked(true) : signOut())}>
        {children}
      </button>
      {isAsked && (
        <ConfirmDialog question={t('signOut.question', { n: count })} onYes={signOut} onNo={() => setIsAsked(false)}>
          <p>{t('signOut.text')}</p>
        </ConfirmDialog>
      )}
    </>
  )
}
