import type { CsvResult } from '@/api/types'
import { formatCount } from '@/lib/time'
import { ServerWarnings } from '@/ui/ServerWarnings'
import { ChangedVehicleTable } from './ChangedVehicleTable'
import { useManageText } from './text'
import manage from './ManagePage.module.css'

/** Preview of a validated CSV file: counts, and the first vehicles with their fields before and after. */
export function CsvPreview({ result: { vehicles, updated, total_errors, preview, warnings } }: { result: CsvResult }) {
  const t = useManageText()
  return (
    <>
      <p className={manage.sentence} role="status">
        {t('csv.counts', { n: formatCount(vehicles), updated: formatCount(updated), errors: formatCount(total_errors) })}
      </p>
      <ServerWarnings sentences={warnings} />
      <ChangedVehicleTable vehicles={preview} />
      {vehicles > preview.length && preview.length > 0 && <p className="quiet">{t('bulk.more', { n: formatCount(vehicles - preview.length) })}</p>}
    </>
  )
}
