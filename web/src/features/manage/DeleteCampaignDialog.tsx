import { getErrorMessage } from '@/api/apiProblem'
import type { Campaign } from '@/api/types'
import { formatCount } from '@/lib/format'
import { ConfirmDialog } from '@/ui/Dialog'
import { Alert } from '@/ui/Page'
import { showToast } from '@/ui/Toast'
import { useDeleteCampaign, useWholeCampaign } from './api'
import { useManagePageText } from './pageText'

interface DeleteCampaignProps {
  campaign: Campaign
  onDone: () => void
}

/**
 * Confirmation dialog that names what is lost with a campaign: its vehicles, and how many of them are inspected. The dialog fetches these
 * counts and enables YES when they are known or cannot be loaded, because counts in the cache may be outdated or of one yard.
 */
export function DeleteCampaignDialog({ campaign, onDone }: DeleteCampaignProps) {
  const t = useManagePageText()
  const remove = useDeleteCampaign()
  const whole = useWholeCampaign(campaign.id, remove.isIdle || remove.isError)
  // Refetches after the first one, which the inspections of others cause, keep the counts and the YES button as they are.
  const isCounting = !whole.isFetchedAfterMount
  const counted = isCounting || whole.isError || whole.data?.progress_unknown ? undefined : whole.data
  const yes = () => remove.mutate(campaign, {
    onSuccess: () => {
      showToast('success', t('manage.deleted', { name: campaign.name }))
      onDone()
    },
  })
  return (
    <ConfirmDialog question={t('manage.deleteQuestion', { name: campaign.name })} busy={remove.isPending} isYesDisabled={isCounting} onYes={yes} onNo={onDone}>
      <p>{t('manage.deleteText', { n: counted ? formatCount(counted.total_vehicles) : '?' })}</p>
      {isCounting && <p role="status">{t('manage.deleteCounting')}</p>}
      {counted && <InspectedCount campaign={counted} />}
      {!isCounting && !counted && <Alert kind="warning">{t('manage.deleteUnknown')}</Alert>}
      {remove.error && <Alert kind="error">{t('manage.notDeleted', { why: getErrorMessage(remove.error, t) })}</Alert>}
    </ConfirmDialog>
  )
}

function InspectedCount({ campaign: { total_inspected, total_vehicles } }: { campaign: Campaign }) {
  const t = useManagePageText()
  if (total_inspected === 0) return <p>{t('manage.deleteNoneInspected')}</p>
  return <Alert kind="warning">{t('manage.deleteInspected', { n: formatCount(total_inspected), total: formatCount(total_vehicles) })}</Alert>
}
