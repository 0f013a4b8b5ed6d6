import type { Vehicle } from '@/api/types'
import { Timeline } from '@/ui/Timeline'
import { TimelinePage } from '@/ui/TimelinePage'
import { useVehicleHistoryPage, useRefetchVehicleHistoryOnChange } from './api'
import { TimelineEntry } from './TimelineEntry'

/** Changes of a vehicle, newest first. */
export function VehicleTimeline({ vehicle }: { vehicle: Vehicle }) {
  useRefetchVehicleHistoryOnChange(vehicle)
  return (
    <Timeline>
      <Changes key={vehicle.id} id={vehicle.id} before={null} />
    </Timeline>
  )
}

interface ChangesProps {
  id: number
  /** Timestamp before which the listed changes were made; `null` for the newest changes. */
  before: string | null
}

function Changes({ id, before }: ChangesProps) {
  return (
    <TimelinePage
      query={useVehicleHistoryPage(id, before)}
      isOlder={before !== null}
      Item={TimelineEntry}
      keyOf={({ at, kind }) => `${at} ${kind}`}
      renderPage={(next) => <Changes id={id} before={next} />}
    />
  )
}
