import type { CsvUpdateResult } from '@/api/types'
import { formatCount } from '@/lib/time'
import { ServerWarnings } from '@/ui/ServerWarnings'
import { ChangedVehicleTable } from './ChangedVehicleTable'
import { PreviewSummary } from './PreviewBox'
import { useManageText } from './text'

/** Preview of a validated CSV file: the numbers of vehicles, changes and errors, and the first vehicles with their old and new values. */
export function CsvPreview({ result: { vehicles, updated, total_errors, preview, warnings } }: { result: CsvUpdateResult }) {
  const t = useManageText()
  return (
    <>
      <PreviewSummary>{t('csv.counts', { n: formatCount(vehicles), updated: formatCount(updated), errors: formatCount(total_errors) })}</PreviewSummary>
      <ServerWarnings sentences={warnings} />
      <ChangedVehicleTable vehicles={preview} />
      {vehicles > preview.length && preview.length > 0 && <p className="quiet">{t('bulk.more', { n: formatCount(vehicles - preview.length) })}</p>}
    </>
  )
}
