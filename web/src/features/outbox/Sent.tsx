import type { Entry } from '@/api/outbox'
import { ago, useNow } from '@/lib/ago'
import { useLanguage } from '@/lib/text'
import { count } from '@/lib/time'
import { Changes } from './EntryCard'
import { useOutboxText } from './text'
import styles from './OutboxPage.module.css'

/** What arrived in the last days, newest first, folded away. */
export function Sent({ entries }: { entries: Entry[] }) {
  const t = useOutboxText()
  const now = useNow()
  const language = useLanguage()
  if (entries.length === 0) return null
  return (
    <details className={styles.sent}>
      <summary>{t('outbox.sent', { n: count(entries.length) })}</summary>
      <ul className={styles.entries}>
        {entries.toReversed().map((entry) => (
          <li key={entry.seq} className={styles.entry}>
            <div className={styles.head}>
              <strong className="mono">{entry.vin}</strong>
              <span className={styles.done}>{t('outbox.done')}</span>
            </div>
            <Changes entry={entry} />
            {entry.conflicts.length > 0 && <p>{t('outbox.tookOne')}</p>}
            <p className="quiet">{ago(entry.done_at ?? entry.at, now, language)}</p>
          </li>
        ))}
      </ul>
    </details>
  )
}
