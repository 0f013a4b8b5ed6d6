import { useState, type FormEvent } from 'react'
import { createFormDraftHook } from '@/api/formDrafts'
import { getErrorMessage } from '@/api/apiProblem'
import { Button } from '@/ui/Button'
import { PasswordField } from '@/ui/Field'
import { Alert, Card } from '@/ui/Page'
import { showToast } from '@/ui/Toast'
import { isWrongPasswordError, useChangePassword } from './api'
import { useAccountText, type AccountTextKey } from './text'
import styles from './ChangePasswordForm.module.css'

const NOTHING = { old: '', new: '', confirmation: '' }
const useEntry = createFormDraftHook(NOTHING)

function complaintAbout(entry: typeof NOTHING): AccountTextKey | null {
  if (Object.values(entry).includes('')) return 'account.missing'
  return entry.new === entry.confirmation ? null : 'account.mismatch'
}

/** Form that changes the signed-in person's own password. */
export function ChangePasswordForm({ onChanged }: { onChanged?: () => void }) {
  const t = useAccountText()
  const [entry, setEntry] = useEntry()
  const [complaint, setComplaint] = useState<AccountTextKey | null>(null)
  const change = useChangePassword()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const wrong = complaintAbout(entry)
    setComplaint(wrong)
    if (wrong !== null || change.isPending) return
    change.mutate({ old: entry.old, new: entry.new }, {
      onSuccess: () => {
        setEntry(NOTHING)
        showToast('success', t('account.changed'))
        onChanged?.()
      },
    })
  }
  const errorText = complaint !== null ? t(complaint) : change.error && t('account.notChanged', { why: isWrongPasswordError(change.error) ? t('account.wrong') : getErrorMessage(change.error, t) })
  const field = (name: keyof typeof NOTHING, label: AccountTextKey, autoComplete: string, hint?: string) => (
    <PasswordField label={t(label)} hint={hint} autoComplete={autoComplete} value={entry[name]} onChange={(event) => setEntry({ ...entry, [name]: event.target.value })} />
  )
  return (
    <Card>
      <form className={styles.form} onSubmit={submit} aria-label={t('account.change')} noValidate>
        <h2>{t('account.change')}</h2>
        {field('old', 'account.old', 'current-password')}
        {field('new', 'account.new', 'new-password', t('account.hint'))}
        {field('confirmation', 'account.confirmation', 'new-password')}
        <p className="quiet">{t('account.otherDevices')}</p>
        {errorText && <Alert kind="error">{errorText}</Alert>}
        <Button kind="primary" big wide type="submit" busy={change.isPending}>
          {t('account.change')}
        </Button>
      </form>
    </Card>
  )
}
