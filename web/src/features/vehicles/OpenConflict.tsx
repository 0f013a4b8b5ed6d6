import { useSession } from '@/api/session'
import type { Vehicle } from '@/api/types'
import { mayManage } from '@/lib/roles'
import { link } from '@/lib/route'
import { LinkButton } from '@/ui/Button'
import { Note } from '@/ui/Page'
import { useScanText } from './text'

/** Says that a field of this vehicle waits for a decision, with the way there for who decides. */
export function OpenConflict({ vehicle }: { vehicle: Vehicle }) {
  const t = useScanText()
  const manages = mayManage(useSession()?.user.user_type ?? '')
  if (vehicle.open_conflicts === 0) return null
  return (
    <Note kind="warning">
      <p>{t('vehicle.openConflict')}</p>
      {manages && <LinkButton to={link('/conflicts', { campaign: vehicle.campaign_id })}>{t('vehicle.decide')}</LinkButton>}
    </Note>
  )
}
