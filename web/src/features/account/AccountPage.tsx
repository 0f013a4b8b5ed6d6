import { useState, type FormEvent } from 'react'
import { draftOf } from '@/api/drafts'
import { Problem, wordsFor } from '@/api/problem'
import { Button } from '@/ui/Button'
import { TextField } from '@/ui/Field'
import { Card, Note, Page } from '@/ui/Page'
import { toast } from '@/ui/Toast'
import { useChangeOwnPassword, useOwnData } from './api'
import { useAccountText, type AccountKey } from './text'
import styles from './AccountPage.module.css'

/** What concerns only oneself: the password, and the data that is held. */
export default function AccountPage() {
  const t = useAccountText()
  return (
    <Page title={t('account.title')} narrow>
      <OwnPassword />
      <OwnData />
    </Page>
  )
}

const NOTHING = { old: '', new: '', confirmation: '' }
const useEntry = draftOf(NOTHING)

function complaintAbout(entry: typeof NOTHING): AccountKey | null {
  if (Object.values(entry).includes('')) return 'account.missing'
  return entry.new === entry.confirmation ? null : 'account.mismatch'
}

const isWrongPassword = (error: Error) => error instanceof Problem && error.code === 'WRONG_PASSWORD'

function OwnPassword() {
  const t = useAccountText()
  const [entry, setEntry] = useEntry()
  const [complaint, setComplaint] = useState<AccountKey | null>(null)
  const change = useChangeOwnPassword()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const wrong = complaintAbout(entry)
    setComplaint(wrong)
    if (wrong !== null || change.isPending) return
    change.mutate({ old: entry.old, new: entry.new }, {
      onSuccess: () => {
        setEntry(NOTHING)
        toast('success', t('account.changed'))
      },
    })
  }
  const told = complaint !== null ? t(complaint) : change.error && t('account.notChanged', { why: isWrongPassword(change.error) ? t('account.wrong') : wordsFor(change.error, t) })
  const field = (name: keyof typeof NOTHING, label: AccountKey, autoComplete: string, hint?: string) => (
    <TextField label={t(label)} hint={hint} type="password" autoComplete={autoComplete} value={entry[name]} onChange={(event) => setEntry({ ...entry, [name]: event.target.value })} />
  )
  return (
    <Card>
      <form className={styles.form} onSubmit={submit} aria-label={t('account.change')} noValidate>
        <h2>{t('account.change')}</h2>
        {field('old', 'account.old', 'current-password')}
        {field('new', 'account.new', 'new-password', t('account.hint'))}
        {field('confirmation', 'account.confirmation', 'new-password')}
        <p className="quiet">{t('account.otherDevices')}</p>
        {told && <Note kind="error">{told}</Note>}
        <Button kind="primary" big wide type="submit" busy={change.isPending}>
          {t('account.change')}
        </Button>
      </form>
    </Card>
  )
}

function OwnData() {
  const t = useAccountText()
  const data = useOwnData()
  return (
    <Card>
      <h2>{t('account.data')}</h2>
      <p>{t('account.dataText')}</p>
      {data.error && <Note kind="error">{t('account.notDownloaded', { why: wordsFor(data.error, t) })}</Note>}
      <Button big wide icon="download" busy={data.isPending} onClick={() => data.mutate()}>
        {t('account.download')}
      </Button>
    </Card>
  )
}
