import { useText, type Key } from '@/lib/text'
import { slugOf } from '@/lib/status'
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

export const shapeOf = (status: string): IconName => SHAPES[slugOf(status)] ?? 'ring'
export const colourOf = (status: string): string => styles[slugOf(status)] ?? ''

interface VehicleStatusBadgeProps {
  status: string
  /** Whether the vehicle was inspected; one without a status then says so. */
  inspected?: boolean
}

/** A vehicle's status as colour, shape and word. */
export function VehicleStatusBadge({ status, inspected = true }: VehicleStatusBadgeProps) {
  const t = useText()
  return (
    <span className={`${styles.badge} ${colourOf(status)}`}>
      <Icon name={shapeOf(status)} size={18} />
      {status === '' ? t(inspected ? 'status.none' : 'status.waiting') : status}
    </span>
  )
}

const CAMPAIGN: Record<string, { label: Key; icon: IconName; look: string | undefined }> = {
  Ready: { label: 'campaign.ready', icon: 'ring', look: styles.ready },
  Ongoing: { label: 'campaign.ongoing', icon: 'play', look: styles.ongoing },
  'Pending Review': { label: 'campaign.pendingReview', icon: 'eye', look: styles.ongoing },
  Closed: { label: 'campaign.closed', icon: 'check', look: styles.closed },
}

/** A campaign's status; Ongoing and Pending Review share one colour. */
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
