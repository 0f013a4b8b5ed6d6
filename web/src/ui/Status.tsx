import { useText, type TextKey } from '@/lib/text'
import { getStatusSlug } from '@/lib/vehicleStatus'
import { Icon, type IconName } from './Icon'
import styles from './Status.module.css'

const SHAPES: Record<string, IconName> = {
  ok: 'check',
  ng: 'cross',
  repair: 'spanner',
  'repair-ok': 'double-check',
  'not-found': 'question',
  'gate-out': 'arrow',
  'soff-bl': 'bar',
  none: 'ring',
}

export const getVehicleStatusIcon = (status: string): IconName => SHAPES[getStatusSlug(status)] ?? 'ring'
export const getVehicleStatusClass = (status: string): string => styles[getStatusSlug(status)] ?? ''

interface VehicleStatusBadgeProps {
  status: string
  /** Whether the vehicle was inspected; decides between 'No status' and 'Not inspected' for an empty status. */
  inspected?: boolean
}

/** Badge of a vehicle's status: colour, icon and label. */
export function VehicleStatusBadge({ status, inspected = true }: VehicleStatusBadgeProps) {
  const t = useText()
  return (
    <span className={`${styles.badge} ${getVehicleStatusClass(status)}`}>
      <Icon name={getVehicleStatusIcon(status)} size={18} />
      {status === '' ? t(inspected ? 'status.none' : 'status.waiting') : status}
    </span>
  )
}

const CAMPAIGN: Record<string, { label: TextKey; icon: IconName; look: string | undefined }> = {
  Ready: { label: 'campaign.ready', icon: 'ring', look: styles.ready },
  Ongoing: { label: 'campaign.ongoing', icon: 'play', look: styles.ongoing },
  'Pending Review': { label: 'campaign.pendingReview', icon: 'eye', look: styles.ongoing },
  Closed: { label: 'campaign.closed', icon: 'check', look: styles.closed },
}

/** Returns the text key of a campaign status, or `undefined` for an unknown status. */
export const getCampaignStatusTextKey = (status: string): TextKey | undefined => CAMPAIGN[status]?.label

/** Badge of a campaign's status. Ongoing and Pending Review share one colour. */
export function CampaignStatusBadge({ status }: { status: string }) {
  const t = useText()
  const known = CAMPAIGN[status]
  return (
    <span className={`${styles.campaign} ${known?.look ?? styles.ready}`}>
      <Icon name={known?.icon ?? 'ring'} size={14} />
      {known ? t(known.label) : status}
    </span>
  )
}
