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
  /** Whether the counts of `campaign` are those of one yard. The dialog then fetches the counts of the whole campaign. */
  isOneYard: boolean
  onDone: () => void
}

/** Confirmation dialog that names what is lost with a campaign: its vehicles, and how many of them are inspected. */
export function DeleteCampaignDialog({ campaign, isOneYard, onDone }: DeleteCampaignProps) {
  const t = useManagePageText()
  const remove = useDeleteCampaign()
  const whole = useWholeCampaign(campaign.id, isOneYard)
  const counted = isOneYard ? whole.data : campaign
  const isKnown = counted !== undefined && !counted.progress_unknown
  const yes = () => remove.mutate(campaign, {
    onSuccess: () => {
      showToast('success', t('manage.deleted', { name: campaign.name }))
      onDone()
    },
  })
  return (
    <ConfirmDialog question={t('manage.deleteQuestion', { name: campaign.name })} busy={remove.isPending} onYes={yes} onNo={onDone}>
      <p>{t('manage.deleteText', { n: isKnown ? formatCount(counted.total_vehicles) : '?' })}</p>
      {isKnown && <InspectedCount campaign={counted} />}
      {!isKnown && (isOneYard && whole.isPending ? <p role="status">{t('common.loading')}</p> : <Alert kind="warning">{t('manage.deleteUnknown')}</Alert>)}
      {remove.error && <Alert kind="error">{t('manage.notDeleted', { why: getErrorMessage(remove.error, t) })}</Alert>}
    </ConfirmDialog>
  )
}

function InspectedCount({ campaign: { total_inspected, total_vehicles } }: { campaign: Campaign }) {
  const t = useManagePageText()
  if (total_inspected === 0) return <p>{t('manage.deleteNoneInspected')}</p>
  return <Alert kind="warning">{t('manage.deleteInspected', { n: formatCount(total_inspected), total: formatCount(total_vehicles) })}</Alert>
}
