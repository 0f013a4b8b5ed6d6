import type { StoredSave } from '@/offline/outbox'
import { formatTimeAgo, useCurrentTime } from '@/lib/timeAgo'
import { useLanguage } from '@/lib/text'
import { formatCount } from '@/lib/time'
import { ChangedValues } from './PendingSaveCard'
import { CardHead, CardList, OutboxCard } from './OutboxCard'
import { useOutboxText } from './text'
import styles from './SentSaves.module.css'

/** Collapsed list of the saves sent in the last days, newest first. */
export function SentSaves({ entries }: { entries: StoredSave[] }) {
  const t = useOutboxText()
  const now = useCurrentTime()
  const language = useLanguage()
  if (entries.length === 0) return null
  return (
    <details className={styles.sent}>
      <summary>{t('outbox.sent', { n: formatCount(entries.length) })}</summary>
      <CardList>
        {entries.toReversed().map((entry) => (
          <OutboxCard key={entry.seq}>
            <CardHead vin={entry.vin} state="done" text={t('outbox.done')} />
            <ChangedValues entry={entry} />
            {entry.conflicts.length > 0 && <p>{t('outbox.tookOne')}</p>}
            <p className="quiet">{formatTimeAgo(entry.done_at ?? entry.at, now, language)}</p>
          </OutboxCard>
        ))}
      </CardList>
    </details>
  )
}
