import type { CsvResult } from '@/api/types'
import { count } from '@/lib/time'
import { Warnings } from '@/ui/Warnings'
import { OldAndNew } from './OldAndNew'
import { useManageText } from './text'
import manage from './ManagePage.module.css'

/** What a checked file holds: counts, and the first vehicles with their fields before and after. */
export function CsvPreview({ result: { vehicles, updated, total_errors, preview, warnings } }: { result: CsvResult }) {
  const t = useManageText()
  return (
    <>
      <p className={manage.sentence} role="status">
        {t('csv.counts', { n: count(vehicles), updated: count(updated), errors: count(total_errors) })}
      </p>
      <Warnings sentences={warnings} />
      <OldAndNew vehicles={preview} />
      {vehicles > preview.length && preview.length > 0 && <p className="quiet">{t('bulk.more', { n: count(vehicles - preview.length) })}</p>}
    </>
  )
}
