import type { ReactNode } from 'react'
import { useQuery } from '@tanstack/react-query'
import { getConflictSideValue, type ConflictSide } from '@/api/conflicts'
import type { FieldConflict } from '@/api/types'
import { isNoteField } from '@/lib/vehicleFields'
import { formatDate, formatTime } from '@/lib/format'
import { vehicleQuery } from '@/offline/queries'
import { ParkingSpaceSign } from '@/ui/ParkingSpaceSign'
import { VehicleStatusBadge } from '@/ui/Status'
import { Button } from '@/ui/Button'
import { Icon } from '@/ui/Icon'
import { useConflictsText } from './text'
import styles from './ConflictParts.module.css'

export interface ConflictProps {
  conflict: FieldConflict
  mayDecide: boolean
  busy: boolean
  /**
   * Value that the person kept when resolving the conflict on this page; `unknown` if the conflict was resolved elsewhere since the page
   * opened. Otherwise `null`.
   */
  outcome: ConflictSide | 'unknown' | null
  /** Error message of the last attempt to resolve this conflict; `null` when that attempt did not fail. */
  error: string | null
  onResolve: (choice: ConflictSide) => void
}

/** Conflicts of one campaign, listed under its name. */
export interface CampaignConflicts {
  id: number
  name: string
  conflicts: FieldConflict[]
}

/** Groups conflicts by campaign. The campaign of the newest conflict comes first, and the order within each campaign is unchanged. */
export function groupConflictsByCampaign(conflicts: FieldConflict[]): CampaignConflicts[] {
  const groups = new Map<number, CampaignConflicts>()
  for (const conflict of conflicts) {
    const { campaign_id: id, campaign_name: name } = conflict
    const group = groups.get(id) ?? { id, name, conflicts: [] }
    group.conflicts.push(conflict)
    groups.set(id, group)
  }
  return [...groups.values()]
}

/** Returns the number of conflicts that were not resolved since the page opened (`outcome` is `null`). */
export const countUnresolvedConflicts = (conflicts: Pick<ConflictProps, 'outcome'>[]): number => conflicts.filter(({ outcome }) => outcome === null).length

const SPACE_FRESH_MS = 60_000

/** Current parking space of a vehicle. The space is loaded separately, because the list of conflicts does not contain it. */
export function VehicleParkingSpaceSign({ vehicle }: { vehicle: number }) {
  const space = useQuery({ ...vehicleQuery(vehicle, null), staleTime: SPACE_FRESH_MS, retry: false }).data?.parking_space
  return space ? <ParkingSpaceSign space={space} size="small" /> : '—'
}

const MAX_CLOCK_ERROR_MS = 120_000
const isClockWrong = (deviceTime: string, at: string | null | undefined) => !at || Math.abs(Date.parse(deviceTime) - Date.parse(at)) > MAX_CLOCK_ERROR_MS

/**
 * Shows a message in place of `children`, or the `children` while the message is `null`. The hidden `children` keep their space, so that nothing
 * below moves.
 */
export function ContentOrMessage({ message, children }: { message: ReactNode; children: ReactNode }) {
  return (
    <div className={styles.place}>
      <div className={message === null ? undefined : styles.replaced}>{children}</div>
      {message !== null && <p className={styles.mark}>{message}</p>}
    </div>
  )
}

/**
 * One of the two values of a conflict, with its author and time, and a button to keep the value. Also shows the device's time when the
 * device's clock differs from the server's. A label marks the vehicle's current value in an open conflict, and the kept value in a resolved
 * one.
 */
export function ConflictSideView({ conflict, side, mayDecide, busy, outcome, onResolve }: Omit<ConflictProps, 'error'> & { side: ConflictSide }) {
  const t = useConflictsText()
  const { value, hmc } = getConflictSideValue(conflict, side)
  const at = side === 'mine' ? conflict.mine_at : conflict.theirs_at
  const { field, device_time, state, shown, chosen, settled_by_hmc } = conflict
  const named = value || t(field === 'status' ? 'status.none' : 'conflicts.empty')
  const isNote = isNoteField(field)
  return (
    <div className={styles.side} data-note={isNote || undefined} data-chosen={chosen === side || undefined} data-kept={outcome === side || undefined}>
      <div className={styles.head}>
        <div className={styles.value}>{field === 'status' ? <VehicleStatusBadge status={value} /> : value || <em className={styles.empty}>{named}</em>}</div>
        {state === 'open' && shown === side && <p className={`${styles.mark} ${outcome === null ? '' : styles.replaced}`}>{t('conflicts.shown')}</p>}
      </div>
      {at && (
        <p className={`quiet ${styles.saved}`}>
          <span className={styles.author} title={hmc}>{hmc}</span> <time dateTime={at}>{t('conflicts.when', { date: formatDate(at), time: formatTime(at) })}</time>
        </p>
      )}
      {side === 'mine' && device_time && isClockWrong(device_time, at) && <p className="quiet">{t('conflicts.phoneTime', { date: formatDate(device_time), time: formatTime(device_time) })}</p>}
      {chosen === side && <p className={`${styles.mark} ${styles.chosen}`} title={settled_by_hmc ?? undefined}>{t('conflicts.chosen', { hmc: settled_by_hmc ?? '?' })}</p>}
      {state === 'open' && mayDecide && (
        <ContentOrMessage message={outcome === 'unknown' ? t('conflicts.ended') : outcome === side ? <Kept /> : outcome && ''}>
          <Button wide kind="secondary" busy={busy} aria-label={t(isNote ? 'conflicts.takeNoteLabel' : 'conflicts.takeLabel', { value: named, hmc, vin: conflict.vin_number })} onClick={() => onResolve(side)}>
            <span>{isNote ? t('conflicts.takeNote') : t('conflicts.take', { value: named })}</span>
            <kbd className={styles.key} aria-hidden="true">{side === 'theirs' ? '1' : '2'}</kbd>
          </Button>
        </ContentOrMessage>
      )}
    </div>
  )
}

function Kept() {
  const t = useConflictsText()
  return (
    <>
      <Icon name="check" size={20} /> {t('conflicts.kept')}
    </>
  )
}

/** Value that the field had before both conflicting saves. An empty status is shown as 'Not inspected'. */
export function ConflictBaseValue({ conflict: { field, base } }: { conflict: FieldConflict }) {
  const t = useConflictsText()
  return <p className={`quiet ${styles.base}`}>{t('conflicts.seen', { value: base || t(field === 'status' ? 'status.waiting' : 'conflicts.empty') })}</p>
}
