import { useInfiniteQuery } from '@tanstack/react-query'
import { apiClient, unwrapResponse } from '@/api/client'
import { queryKeys } from '@/api/queryKeys'
import { getErrorMessage } from '@/api/apiProblem'
import type { User, UserEvent } from '@/api/types'
import { getAccessLevelTextKey } from '@/lib/roles'
import { translateServerMessage } from '@/lib/translateServerMessage'
import { Button } from '@/ui/Button'
import { Dialog } from '@/ui/Dialog'
import type { IconName } from '@/ui/Icon'
import { ErrorNotice, Skeleton } from '@/ui/Page'
import { ValueChange, Timeline, TimelineField, TimelineItem } from '@/ui/Timeline'
import { useTimelineText } from '@/ui/TimelineText'
import { useUserHistoryText } from './historyText'
import styles from './UserHistoryDialog.module.css'

const ICONS: Record<string, IconName> = { login: 'person', 'login-failed': 'warning', logout: 'out', 'user-changed': 'pencil' }

const useUserHistory = (id: number) =>
  useInfiniteQuery({
    queryKey: queryKeys.userHistory(id),
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) => {
      const query = pageParam === null ? {} : { before: pageParam }
      return unwrapResponse(apiClient.GET('/users/{id}/history', { params: { path: { id }, query }, signal }), 'entries*')
    },
    getNextPageParam: ({ next }) => next ?? undefined,
    staleTime: 0,
  })

/** Dialog with the history of a user: sign-ins, changes of the account, and bulk changes by the user, newest first. */
export function UserHistoryDialog({ user: { id, hmc }, onClose }: { user: User; onClose: () => void }) {
  const [t, shared] = [useUserHistoryText(), useTimelineText()]
  const history = useUserHistory(id)
  const entries = history.data?.pages.flatMap((page) => page.entries) ?? []
  return (
    <Dialog label={t('history.of', { hmc })} onClose={onClose}>
      <div className={styles.form}>
        <h2>{t('history.of', { hmc })}</h2>
        {history.isSuccess && entries.length === 0 && <p className="quiet">{t('history.none')}</p>}
        <Timeline>
          {entries.map((event, index) => (
            <Event key={`${event.at} ${index}`} event={event} />
          ))}
        </Timeline>
        {history.isPending && <Skeleton rows={3} height={64} label={shared('history.loading')} onRetry={() => void history.refetch()} />}
        {history.isError && <ErrorNotice text={getErrorMessage(history.error, t)} onRetry={() => void history.refetch()} />}
        {history.hasNextPage && (
          <Button busy={history.isFetchingNextPage} onClick={() => void history.fetchNextPage()}>
            {shared('history.older')}
          </Button>
        )}
        <Button wide onClick={onClose}>
          {t('history.close')}
        </Button>
      </div>
    </Dialog>
  )
}

function Event({ event: { at, by_hmc, kind, summary, fields, bulk } }: { event: UserEvent }) {
  const t = useUserHistoryText()
  const title = bulk ? t(`history.bulk.${bulk.kind}`, { n: bulk.vehicles }) : translateServerMessage(summary)
  return (
    <TimelineItem icon={bulk ? 'list' : (ICONS[kind] ?? 'info')} title={title} by={by_hmc ?? t('history.nobody')} at={at} way={bulk?.detail ? <span>{bulk.detail}</span> : undefined}>
      {fields.filter(({ old, new: value }) => old !== value).map(({ field, old, new: value }) => (
        <TimelineField key={field} name={field === 'user_type' ? t('history.level') : field === 'hmc' ? 'HMC' : field}>
          <ValueChange old={<Value value={old} />} value={<Value value={value} />} />
        </TimelineField>
      ))}
    </TimelineItem>
  )
}

function Value({ value }: { value: string }) {
  const t = useTimelineText()
  const level = getAccessLevelTextKey(value)
  return value === '' ? <em>{t('history.empty')}</em> : <span>{level === null ? value : t(level)}</span>
}
