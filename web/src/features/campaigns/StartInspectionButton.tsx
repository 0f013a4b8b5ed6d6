import { usePrefetchNextVehicle } from '@/offline/usePrefetchNextVehicle'
import { getErrorMessage } from '@/api/apiProblem'
import type { Campaign } from '@/api/types'
import { buildPath, navigate } from '@/lib/route'
import { formatCount } from '@/lib/format'
import { Button } from '@/ui/Button'
import { Alert, EmptyState } from '@/ui/Page'
import { useStartCampaign } from './api'
import { useCampaignsText } from './text'

interface StartButtonProps {
  campaign: Campaign
  yard: number | null
  isPrimary: boolean
  /** Whether the button takes the full width. */
  isWide: boolean
}

/**
 * Main button of the campaign screen, which starts or continues the inspection. Shows a message instead when all vehicles are inspected.
 */
export function StartInspectionButton({ campaign, yard, isPrimary, isWide }: StartButtonProps) {
  const t = useCampaignsText()
  const start = useStartCampaign()
  const next = campaign.next ?? null
  usePrefetchNextVehicle(next, yard)

  const { status, total_inspected: done, total_vehicles: total, progress_unknown: isUnknown } = campaign
  const size = { big: isWide, wide: isWide }
  if (status === 'Closed' && isUnknown) return <Button {...size} disabled icon="close">{t('campaign.closed')}</Button>
  if (status === 'Closed') {
    return (
      <Button {...size} disabled icon={done < total ? 'close' : 'check'}>
        {done < total ? t('closed.left', { left: formatCount(total - done), total: formatCount(total) }) : t('campaign.closedMessage')}
      </Button>
    )
  }
  if (isUnknown && next === null) return null
  if (total === 0 && !isUnknown) return <EmptyState icon="list" text={t('campaign.noVehicles')} />
  if (next === null) {
    return <Button {...size} disabled icon="check">{t(yard === null ? 'campaign.allDone' : 'campaign.yardDone')}</Button>
  }
  const go = () => navigate(buildPath(`/vehicle/${next}`, { yard }))
  const ready = status === 'Ready'
  return (
    <>
      <Button kind={isPrimary ? 'primary' : 'secondary'} {...size} icon="play" busy={start.isPending} onClick={() => (ready ? start.mutate(campaign.id, { onSuccess: go }) : go())}>
        {t(ready ? 'campaign.start' : 'campaign.continue')}
      </Button>
      {start.isError && <Alert kind="error">{getErrorMessage(start.error, t)}</Alert>}
    </>
  )
}
