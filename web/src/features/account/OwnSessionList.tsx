import { useEndSession, useOpenSessions } from '@/api/openSessions'
import { getErrorMessage } from '@/api/apiProblem'
import { Card } from '@/ui/Page'
import { SessionList, useSessionsText } from '@/ui/SessionList'
import { showToast } from '@/ui/Toast'
import { useAccountText } from './text'

/** List of the signed-in person's open sessions, one per device. */
export function OwnSessionList() {
  const t = useAccountText()
  const words = useSessionsText()
  const sessions = useOpenSessions(null)
  const end = useEndSession(null)
  const onEnd = (session: string | null) => end.mutate(session, { onSuccess: () => void showToast('success', words(session === null ? 'sessions.allEnded' : 'sessions.ended')) })
  return (
    <Card label={t('account.sessions')}>
      <h2>{t('account.sessions')}</h2>
      <SessionList sessions={sessions.data} failed={sessions.isError} ending={end.isPending ? end.variables : undefined} why={end.error && getErrorMessage(end.error, t)}
        onRetry={() => void sessions.refetch()} onEnd={onEnd} />
    </Card>
  )
}
