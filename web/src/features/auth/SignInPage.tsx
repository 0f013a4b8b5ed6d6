import { useEffect, useState, type FormEvent } from 'react'
import { Redirect } from 'wouter'
import { getErrorMessage, ApiProblem } from '@/api/apiProblem'
import { useProductName } from '@/api/product'
import { reloadSession, useSession } from '@/api/session'
import { Link } from '@/lib/route'
import { useStore } from '@/lib/store'
import { useText, type Translate } from '@/lib/text'
import { pendingSaveCount } from '@/offline/pendingSaveCount'
import { Button } from '@/ui/Button'
import { PasswordField, TextField } from '@/ui/Field'
import { Logo } from '@/ui/Logo'
import { Alert, usePageTitle } from '@/ui/Page'
import { useSignIn } from './api'
import { recordLockout, recordFailedSignIn, useRemainingLockoutSeconds } from './lockout'
import styles from './SignInPage.module.css'

export default function SignInPage() {
  const session = useSession()
  useEffect(reloadSession, [])
  useEffect(countPendingSaves, [])
  return session === null ? <SignIn /> : <Redirect to="/campaign-home" replace />
}

/** Recounts the saves on this device that are not sent yet. The count in local storage may be outdated when the browser was killed. */
function countPendingSaves(): void {
  import('@/offline/outbox').then(({ loadOutbox }) => loadOutbox()).catch(() => undefined)
}

function SignIn() {
  const t = useText()
  const product = useProductName()
  usePageTitle(t('signIn.title'))
  const [hmc, setHmc] = useState('')
  const [password, setPassword] = useState('')
  const seconds = useRemainingLockoutSeconds()
  const signIn = useSignIn()
  const { open, others } = useStore(pendingSaveCount)
  const waiting = open + others
  const ready = hmc.trim() !== '' && password.trim() !== '' && seconds === 0

  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (ready && !signIn.isPending) signIn.mutate({ hmc: hmc.trim(), password }, { onError: note })
  }
  const errorText = seconds > 0 ? t('signIn.blocked', { n: seconds }) : failureText(signIn.error, t)
  return (
    <div className={styles.screen}>
      <header className={styles.brand}>
        <Logo size={64} />
        <p className={styles.product}>{product}</p>
        <p className={styles.caption}>{t('signIn.caption')}</p>
      </header>
      <main className={styles.panel}>
        <form className={styles.form} onSubmit={submit} aria-label={t('signIn.title')}>
          <h1>{t('signIn.title')}</h1>
          <TextField label={t('signIn.hmc')} value={hmc} onChange={(event) => setHmc(event.target.value)} autoComplete="username" autoCapitalize="none" spellCheck={false} name="hmc" />
          <PasswordField label={t('signIn.password')} value={password} onChange={(event) => setPassword(event.target.value)} autoComplete="current-password" name="password" />
          {waiting > 0 && <Alert kind="info">{t('signIn.held', { n: waiting })}</Alert>}
          {errorText !== null && (
            <div key={signIn.submittedAt} ref={scrollIntoView}>
              <Alert kind="error">{errorText}</Alert>
            </div>
          )}
          <Button kind="primary" big wide type="submit" disabled={!ready} busy={signIn.isPending}>
            {t('signIn.submit')}
          </Button>
        </form>
        <nav className={styles.policies} aria-label={t('signIn.policies')}>
          <Link href="/privacy-policy">{t('menu.privacy')}</Link>
          <Link href="/terms-service">{t('menu.terms')}</Link>
        </nav>
      </main>
    </div>
  )
}

const scrollIntoView = (part: Element | null) => part?.scrollIntoView({ block: 'nearest' })

function note(error: Error): void {
  if (!(error instanceof ApiProblem)) return
  if (error.code === 'INVALID_CREDENTIALS') recordFailedSignIn(error.number('attempts_left'), Date.now())
  if (error.code === 'LOCKED_OUT') recordLockout(error.number('retry_after'), Date.now())
}

function failureText(error: Error | null, t: Translate): string | null {
  if (error === null) return null
  const left = error instanceof ApiProblem && error.code === 'INVALID_CREDENTIALS' ? error.number('attempts_left') : null
  if (left !== null) return t('signIn.invalid', { n: left })
  // A lockout has its own message with the remaining seconds, so its error is not shown after the lockout has expired.
  return error instanceof ApiProblem && error.code === 'LOCKED_OUT' ? null : getErrorMessage(error, t)
}
