import { getServerUnreachableSince, useIsServerFailing, useIsServerReachable } from '@/api/connectivity'
import { useMediaQuery } from '@/lib/useMediaQuery'
import { Link } from '@/lib/route'
import { useText } from '@/lib/text'
import { formatCount, formatHourMinute } from '@/lib/format'
import { useOwnPendingSaveCount } from '@/offline/pendingSaveCount'
import { Icon } from '@/ui/Icon'
import styles from './SyncChip.module.css'

/**
 * Header link to the outbox page. Shows whether the server is unreachable or failing, and how many saves of the signed-in user are not
 * sent yet.
 */
export function SyncChip({ owner }: { owner: string }) {
  const t = useText()
  const isOnline = useIsServerReachable()
  const isFailing = useIsServerFailing()
  const { open: stored, held, refused } = useOwnPendingSaveCount(owner)
  const open = stored - held
  const isNarrow = useMediaQuery('(max-width: 599px)')
  const time = formatHourMinute(getServerUnreachableSince())
  const toSend = [
    ...(refused > 0 ? [t('frame.toAnswer', { n: formatCount(refused) })] : []),
    ...(open > refused ? [t('frame.toSend', { n: formatCount(open - refused) })] : []),
  ]
  const problem = !isOnline ? [t(isNarrow ? 'frame.offlineAt' : 'frame.offlineSince', { time })] : isFailing ? [t('frame.serverFailing')] : []
  const words = [...problem, ...toSend]
  const pending = open === 0 ? [] : [t('frame.held', { n: open }), ...(refused > 0 ? [t('frame.refused', { n: refused })] : [])]
  const shown = words.join(' ') || t('frame.synced')
  const name = [...pending, shown].join(', ')
  const look = refused > 0 ? styles.refused : problem.length > 0 ? styles.offline : open > 0 ? styles.pending : styles.synced
  return (
    <Link href="/outbox" className={`${styles.chip} ${look}`} data-words={words.length > 0 || undefined} aria-label={name} title={name}>
      {refused > 0 ? <Icon name="warning" size={18} /> : <span className={styles.dot} />}
      <span className={styles.words}>
        {words.length === 0 ? <span className={styles.calm}>{shown}</span> : words.map((word) => <span key={word}>{word} </span>)}
      </span>
    </Link>
  )
}
