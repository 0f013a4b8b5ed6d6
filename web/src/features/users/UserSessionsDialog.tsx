import { useEndSession, useOpenSessions } from '@/api/openSessions'
import { getErrorMessage } from '@/api/apiProblem'
import type { User } from '@/api/types'
import { IconButton } from '@/ui/Button'
import { Dialog } from '@/ui/Dialog'
import { SessionList, useSessionsText } from '@/ui/SessionList'
import { showToast } from '@/ui/Toast'
import { useUsersText } from './text'
import styles from './UserSessionsDialog.module.css'

/** Dialog with the open sessions of one user, one per device. */
export function UserSessionsDialog({ user: { id, hmc }, onClose }: { user: User; onClose: () => void }) {
  const t = useUsersText()
  const words = useSessionsText()
  const sessions = useOpenSessions(id)
  const end = useEndSession(id)
  const onEnd = (session: string | null) => end.mutate(session, { onSuccess: () => void showToast('success', words(session === null ? 'sessions.allEnded' : 'sessions.ended')) })
  return (
    <Dialog label={t('users.sessions', { hmc })} onClose={onClose}>
      <div className={styles.form}>
        <div className={styles.head}>
          <h2>{t('users.sessions', { hmc })}</h2>
          <IconButton icon="close" label={t('users.close')} onClick={onClose} />
        </div>
        <SessionList sessions={sessions.data} failed={sessions.isError} ending={end.isPending ? end.variables : undefined} why={end.error && getErrorMessage(end.error, t)}
          onRetry={() => void sessions.refetch()} onEnd={onEnd} />
      </div>
    </Dialog>
  )
}
