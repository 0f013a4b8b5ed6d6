import type { StoredSave } from '@/offline/outbox'
import { formatTimeAgo, useCurrentTime } from '@/lib/ago'
import { useLanguage } from '@/lib/text'
import { formatCount } from '@/lib/time'
import { ChangedValues } from './PendingSaveCard'
import { useOutboxText } from './text'
import styles from './OutboxPage.module.css'

/** Collapsed list of the saves sent in the last days, newest first. */
export function SentSaves({ entries }: { entries: StoredSave[] }) {
  const t = useOutboxText()
  const now = useCurrentTime()
  const language = useLanguage()
  if (entries.length === 0) return null
  return (
    <details className={styles.sent}>
      <summary>{t('outbox.sent', { n: formatCount(entries.length) })}</summary>
      <ul className={styles.entries}>
        {entries.toReversed().map((entry) => (
          <li key={entry.seq} className={styles.entry}>
            <div className={styles.head}>
              <strong className="mono">{entry.vin}</strong>
              <span className={styles.done}>{t('outbox.done')}</span>
            </div>
            <ChangedValues entry={entry} />
            {entry.conflicts.length > 0 && <p>{t('outbox.tookOne')}</p>}
            <p className="quiet">{formatTimeAgo(entry.done_at ?? entry.at, now, language)}</p>
          </li>
        ))}
      </ul>
    </details>
  )
}
