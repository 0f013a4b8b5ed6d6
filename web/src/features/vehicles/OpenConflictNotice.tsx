import { useSession } from '@/api/session'
import type { Vehicle } from '@/api/types'
import { mayManageCampaigns } from '@/lib/roles'
import { buildPath } from '@/lib/route'
import { LinkButton } from '@/ui/Button'
import { Alert } from '@/ui/Page'
import { useScanText } from './text'

/** Notice of an open conflict on this vehicle, with a link for people who may resolve the conflict. */
export function OpenConflictNotice({ vehicle }: { vehicle: Vehicle }) {
  const t = useScanText()
  const manages = mayManageCampaigns(useSession()?.user.user_type ?? '')
  if (vehicle.open_conflicts === 0) return null
  return (
    <Alert kind="warning">
      <p>{t('vehicle.openConflict')}</p>
      {manages && <LinkButton to={buildPath('/conflicts', { campaign: vehicle.campaign_id })}>{t('vehicle.decide')}</LinkButton>}
    </Alert>
  )
}
