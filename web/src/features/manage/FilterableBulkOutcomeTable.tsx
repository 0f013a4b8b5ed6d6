import { useState } from 'react'
import { formatCount } from '@/lib/format'
import { SingleChoiceChips } from '@/ui/Chips'
import { SearchBox } from '@/ui/SearchBox'
import { filterBulkOutcomeRows, type BulkOutcomeKind, type BulkOutcomeRow } from './bulkOutcomeRows'
import { MIN_ROWS_FOR_SEARCH, OUTCOME_COUNT_LABELS, BulkOutcomeVehicleTable } from './BulkOutcomeVehicleTable'
import { useManageText } from './text'
import styles from './FilterableBulkOutcomeTable.module.css'

interface OutcomeTableProps {
  rows: BulkOutcomeRow[]
  /** Number of vehicles with each outcome. May exceed the number of rows, because the server lists only some of the changed vehicles. */
  counts: Record<BulkOutcomeKind, number>
}

const KINDS: readonly BulkOutcomeKind[] = ['updated', 'missing', 'skipped']

/** Vehicles of an executed bulk change as a table by campaign, filtered by outcome and searched by VIN. */
export function FilterableBulkOutcomeTable({ rows, counts }: OutcomeTableProps) {
  const t = useManageText()
  const [kind, setKind] = useState<BulkOutcomeKind | null>(null)
  const [text, setText] = useState('')
  if (rows.length === 0) return null
  const showsUpdated = text === '' && (kind === null || kind === 'updated')
  const unlisted = showsUpdated ? Math.max(0, counts.updated - rows.filter((row) => row.kind === 'updated').length) : 0
  const kinds = KINDS.filter((one) => counts[one] > 0)
  return (
    <div className={styles.outcome}>
      <SingleChoiceChips label={t('bulk.filter')} value={kind} onChoose={(next) => setKind(next === kind ? null : next)} chips={[
        { value: null, text: t('bulk.all') },
        ...kinds.map((one) => ({ value: one, text: t(OUTCOME_COUNT_LABELS[one], { n: formatCount(counts[one]) }) })),
      ]} />
      {rows.length >= MIN_ROWS_FOR_SEARCH && <SearchBox label={t('bulk.searchVin')} value={text} onChange={setText} />}
      <BulkOutcomeVehicleTable label={t('bulk.vehicles')} rows={filterBulkOutcomeRows(rows, kind, text)} unlisted={unlisted} />
    </div>
  )
}
