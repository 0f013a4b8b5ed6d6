import type { Vehicle } from '@/api/types'
import { formatDate, formatTime } from '@/lib/format'
import type { PossiblyPartialVehicle } from '@/offline/snapshots'
import { useInspectionText } from './text'

/** Line that names the person and the time of the last change to the vehicle. */
export function LastChangeLine({ vehicle }: { vehicle: Vehicle }) {
  const t = useInspectionText()
  const { modified_by: id, modified_by_hmc: hmc, modified_at: at, isPartial }: PossiblyPartialVehicle = vehicle
  if (isPartial) return <p className="quiet">{t('vehicle.changesUnknown')}</p>
  if (id === null || id === undefined || !at) return <p className="quiet">{t('vehicle.neverChanged')}</p>
  return <p className="quiet">{t('vehicle.lastChange', { id, hmc: hmc ?? t('vehicle.removedUser'), date: formatDate(at), time: formatTime(at) })}</p>
}
