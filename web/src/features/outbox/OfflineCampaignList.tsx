import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { getErrorMessage } from '@/api/apiProblem'
import { formatTimeAgo, useCurrentTime } from '@/lib/timeAgo'
import { Link } from '@/lib/route'
import { useLanguage } from '@/lib/text'
import { formatCount, formatMegabytes } from '@/lib/format'
import { deleteSnapshot, refreshSnapshot, useSnapshots, type SnapshotMetadata } from '@/offline/snapshots'
import { Button } from '@/ui/Button'
import { ConfirmDialog } from '@/ui/Dialog'
import { Alert } from '@/ui/Page'
import { OutboxCardActions, OutboxCardList, OutboxCard, OutboxSection } from './OutboxLayout'
import { useOutboxText } from './text'
import styles from './OfflineCampaignList.module.css'

/** List of the campaigns available offline on this device, each with buttons to update and to remove it. */
export function OfflineCampaignList() {
  const t = useOutboxText()
  const snapshots = useSnapshots()
  return (
    <OutboxSection title={t('taken.title')}>
      {snapshots.length === 0 && <p className="quiet">{t('taken.none')}</p>}
      <OutboxCardList>
        {snapshots.map((snapshot) => (
          <OfflineCampaign key={snapshot.campaign} snapshot={snapshot} />
        ))}
      </OutboxCardList>
    </OutboxSection>
  )
}

function OfflineCampaign({ snapshot }: { snapshot: SnapshotMetadata }) {
  const t = useOutboxText()
  const now = useCurrentTime()
  const language = useLanguage()
  const queries = useQueryClient()
  const [leaving, setLeaving] = useState(false)
  const update = useMutation({ mutationFn: () => refreshSnapshot(queries, snapshot.campaign) })
  const { head: { name }, vehicles, bytes, fresh_at, yards } = snapshot
  return (
    <OutboxCard>
      <Link href={`/campaign/${snapshot.campaign}`} className={styles.name}>
        {name}
      </Link>
      <p>{t(yards === null ? 'taken.vehicles' : 'taken.someYards', { n: formatCount(vehicles), size: formatMegabytes(bytes) })}</p>
      <p className="quiet">{t('taken.fresh', { age: formatTimeAgo(fresh_at, now, language) })}</p>
      {update.isError && <Alert kind="error">{getErrorMessage(update.error, t)}</Alert>}
      <OutboxCardActions>
        <Button busy={update.isPending} aria-label={t('taken.updateLabel', { name })} onClick={() => update.mutate()}>
          {t('taken.update')}
        </Button>
        <Button kind="quiet" icon="trash" aria-label={t('taken.removeLabel', { name })} onClick={() => setLeaving(true)}>
          {t('taken.remove')}
        </Button>
      </OutboxCardActions>
      {leaving && (
        <ConfirmDialog question={t('taken.removeQuestion', { name })} onYes={() => void deleteSnapshot(snapshot.campaign)} onNo={() => setLeaving(false)}>
          <p>{t('taken.removeText')}</p>
        </ConfirmDialog>
      )}
    </OutboxCard>
  )
}
