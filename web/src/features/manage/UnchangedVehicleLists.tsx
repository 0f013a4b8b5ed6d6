import { useState } from 'react'
import type { BulkResult } from '@/api/types'
import { formatCount } from '@/lib/format'
import { SearchBox } from '@/ui/SearchBox'
import { filterBulkOutcomeRows, listBulkOutcomeRows, type BulkOutcomeKind, type BulkOutcomeRow } from './bulkOutcomeRows'
import { MIN_ROWS_FOR_SEARCH, OUTCOME_COUNT_LABELS, BulkOutcomeVehicleTable } from './BulkOutcomeVehicleTable'
import { useManageText } from './text'
import styles from './UnchangedVehicleLists.module.css'

/** Open, collapsible table of the VINs in the list that belong to no vehicle. The heading states their number. */
export const MissingVehicleList = ({ result }: { result: BulkResult }) => <Fold kind="missing" isOpen rows={listRows(result, 'missing')} />

/** Collapsed table of the vehicles that a bulk change skips, each with the reason. The heading states their number. */
export const SkippedVehicleList = ({ result }: { result: BulkResult }) => <Fold kind="skipped" rows={listRows(result, 'skipped')} />

const listRows = (result: BulkResult, kind: BulkOutcomeKind) => filterBulkOutcomeRows(listBulkOutcomeRows(result, []), kind, '')

function Fold({ kind, isOpen = false, rows }: { kind: BulkOutcomeKind; isOpen?: boolean; rows: BulkOutcomeRow[] }) {
  const t = useManageText()
  const [text, setText] = useState('')
  if (rows.length === 0) return null
  const label = t(OUTCOME_COUNT_LABELS[kind], { n: formatCount(rows.length) })
  return (
    <details className={styles.fold} open={isOpen}>
      <summary>{label}</summary>
      <div className={styles.inside}>
        {rows.length >= MIN_ROWS_FOR_SEARCH && <SearchBox label={t('bulk.searchVin')} value={text} onChange={setText} />}
        <BulkOutcomeVehicleTable label={label} rows={filterBulkOutcomeRows(rows, kind, rows.length >= MIN_ROWS_FOR_SEARCH ? text : '')} />
      </div>
    </details>
  )
}
