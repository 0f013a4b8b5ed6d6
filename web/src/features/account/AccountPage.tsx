import { getErrorMessage } from '@/api/apiProblem'
import { Button } from '@/ui/Button'
import { Alert, Card, Page } from '@/ui/Page'
import { useDownloadPersonalData } from './api'
import { ChangePasswordForm } from './ChangePasswordForm'
import { OwnSessionList } from './OwnSessionList'
import { useAccountText } from './text'
import styles from './AccountPage.module.css'

/** Screen of the person's own account: password, open sessions, and download of personal data. */
export default function AccountPage() {
  const t = useAccountText()
  return (
    <Page title={t('account.title')}>
      <div className={styles.cards}>
        <ChangePasswordForm />
        <OwnSessionList />
        <OwnData />
      </div>
    </Page>
  )
}

function OwnData() {
  const t = useAccountText()
  const data = useDownloadPersonalData()
  return (
    <Card>
      <h2>{t('account.data')}</h2>
      <p>{t('account.dataText')}</p>
      {data.error && <Alert kind="error">{t('account.notDownloaded', { why: getErrorMessage(data.error, t) })}</Alert>}
      <Button big wide icon="download" busy={data.isPending} onClick={() => data.mutate()}>
        {t('account.download')}
      </Button>
    </Card>
  )
}
