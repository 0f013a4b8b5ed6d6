import type { OutboxEntry } from '@/offline/outbox'
import { formatTimeAgo, useCurrentTime } from '@/lib/timeAgo'
import { useLanguage } from '@/lib/text'
import { formatCount } from '@/lib/format'
import { Icon } from '@/ui/Icon'
import { PendingSaveChanges } from './PendingSaveCard'
import { OutboxCardHeader, OutboxCardList, OutboxCard } from './OutboxLayout'
import { useOutboxText } from './text'
import styles from './SentSaveList.module.css'

/** Collapsed list of the sent saves that this device still stores, newest first. */
export function SentSaveList({ entries }: { entries: OutboxEntry[] }) {
  const t = useOutboxText()
  const now = useCurrentTime()
  const language = useLanguage()
  if (entries.length === 0) return null
  return (
    <details className={styles.sent}>
      <summary>
        {t('outbox.sent', { n: formatCount(entries.length) })}
        <Icon name="down" size={20} />
      </summary>
      <OutboxCardList>
        {entries.toReversed().map((entry) => (
          <OutboxCard key={entry.seq}>
            <OutboxCardHeader space={entry.space} vin={entry.vin} state="done" text={t('outbox.done')} />
            <PendingSaveChanges entry={entry} />
            {entry.conflicts.length > 0 && <p>{t('outbox.tookOne')}</p>}
            <p className="quiet">{entry.campaign_name} · {formatTimeAgo(entry.done_at ?? entry.at, now, language)}</p>
          </OutboxCard>
        ))}
      </OutboxCardList>
    </details>
  )
}
