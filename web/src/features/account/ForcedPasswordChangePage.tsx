import { logSignIn } from '@/api/logs'
import { mustChangePassword } from '@/api/session'
import { Button } from '@/ui/Button'
import { Page } from '@/ui/Page'
import { ChangePasswordForm } from './ChangePasswordForm'
import { useAccountText } from './text'

/** Screen on which a user must replace a password that a supervisor has set. Until the password is replaced, no other screen opens. */
export default function ForcedPasswordChangePage({ onSignOut }: { onSignOut: () => void }) {
  const t = useAccountText()
  const goOn = () => {
    mustChangePassword.set(false)
    logSignIn()
  }
  return (
    <Page title={t('account.choose')} narrow>
      <p>{t('account.chooseText')}</p>
      <ChangePasswordForm onChanged={goOn} />
      <Button big wide icon="out" onClick={onSignOut}>
        {t('menu.logout')}
      </Button>
    </Page>
  )
}
