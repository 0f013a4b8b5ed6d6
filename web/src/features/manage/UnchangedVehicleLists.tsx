import { useState } from 'react'
import type { BulkResult } from '@/api/types'
import { formatCount } from '@/lib/format'
import { SearchBox } from '@/ui/SearchBox'
import { filterBulkOutcomeRows, listBulkOutcomeRows, type BulkOutcomeKind, type BulkOutcomeRow } from './bulkOutcomeRows'
import { MIN_ROWS_FOR_SEARCH, OUTCOME_COUNT_LABELS, BulkOutcomeVehicleTable } from './BulkOutcomeVehicleTable'
import { useManageText } from './text'
import styles from './UnchangedVehicleLists.module.css'

/**
 * Two collapsible tables of the vehicles that a bulk change left unchanged: those not found, which is open at first, then those skipped.
 * Each heading states the number of vehicles.
 */
export function UnchangedVehicleLists({ result }: { result: BulkResult }) {
  const rows = listBulkOutcomeRows(result, [])
  return (
    <>
      <Fold kind="missing" rows={filterBulkOutcomeRows(rows, 'missing', '')} />
      <Fold kind="skipped" rows={filterBulkOutcomeRows(rows, 'skipped', '')} />
    </>
  )
}

function Fold({ kind, rows }: { kind: BulkOutcomeKind; rows: BulkOutcomeRow[] }) {
  const t = useManageText()
  const [text, setText] = useState('')
  if (rows.length === 0) return null
  const label = t(OUTCOME_COUNT_LABELS[kind], { n: formatCount(rows.length) })
  return (
    <details className={styles.fold} open={kind === 'missing'}>
      <summary>{label}</summary>
      <div className={styles.inside}>
        {rows.length >= MIN_ROWS_FOR_SEARCH && <SearchBox label={t('bulk.searchVin')} value={text} onChange={setText} />}
        <BulkOutcomeVehicleTable label={label} rows={filterBulkOutcomeRows(rows, kind, rows.length >= MIN_ROWS_FOR_SEARCH ? text : '')} />
      </div>
    </details>
  )
}
