import { useState, type FormEvent } from 'react'
import type { PasswordPrompt } from '@/api/passwordPrompt'
import { getErrorMessage } from '@/api/apiProblem'
import { Button } from '@/ui/Button'
import { Dialog } from '@/ui/Dialog'
import { PasswordField } from '@/ui/Field'
import { Alert } from '@/ui/Page'
import { isWrongPasswordError, useConfirmPassword } from './api'
import { useAccountText } from './text'
import styles from './ConfirmPasswordDialog.module.css'

/** Dialog that asks for the person's own password before a sensitive change, for example before creating a user. */
export default function ConfirmPasswordDialog({ prompt: { confirmed, cancelled } }: { prompt: PasswordPrompt }) {
  const t = useAccountText()
  const [password, setPassword] = useState('')
  const confirm = useConfirmPassword()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (password !== '' && !confirm.isPending) confirm.mutate(password, { onSuccess: confirmed })
  }
  const problem = confirm.error && (isWrongPasswordError(confirm.error) ? t('account.wrong') : getErrorMessage(confirm.error, t))
  return (
    <Dialog label={t('account.enter')} onClose={cancelled}>
      <form className={styles.form} onSubmit={submit} noValidate>
        <h2>{t('account.enter')}</h2>
        <PasswordField label={t('account.own')} autoComplete="current-password" value={password} onChange={(event) => setPassword(event.target.value)} />
        {problem && <Alert kind="error">{problem}</Alert>}
        <div className={styles.answers}>
          <Button kind="primary" type="submit" busy={confirm.isPending} disabled={password === ''}>
            {t('account.goOn')}
          </Button>
          <Button onClick={cancelled}>{t('account.cancel')}</Button>
        </div>
      </form>
    </Dialog>
  )
}
