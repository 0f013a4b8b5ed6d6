import { useState } from 'react'
import { formatCount } from '@/lib/time'
import { SingleChoiceChips } from '@/ui/Chips'
import { SearchBox } from '@/ui/SearchBox'
import { filterBulkOutcomeRows, type BulkOutcomeKind, type BulkOutcomeRow } from './bulkOutcomeRows'
import { FieldChanges } from './FieldChanges'
import { groupByCampaign } from './groupByCampaign'
import { CampaignRows, ScrollableTable, VehicleRow } from './ScrollableTable'
import { useManageText, type ManageTextKey } from './text'
import styles from './BulkOutcomeTable.module.css'

interface OutcomeTableProps {
  rows: BulkOutcomeRow[]
  /** Number of vehicles with each outcome. May exceed the number of rows, because the server lists only some of the changed vehicles. */
  counts: Record<BulkOutcomeKind, number>
}

const MAX_LISTED = 200
/** Minimum number of rows for which the table has a search field. */
const MIN_SEARCHED = 10
const LABELS: Record<BulkOutcomeKind, ManageTextKey> = { updated: 'bulk.changedCount', skipped: 'bulk.skipped', missing: 'bulk.missing' }
const KINDS: readonly BulkOutcomeKind[] = ['updated', 'skipped', 'missing']

/** Vehicles of a bulk change as a table by campaign, filtered by outcome and searched by VIN. */
export function BulkOutcomeTable({ rows, counts }: OutcomeTableProps) {
  const t = useManageText()
  const [kind, setKind] = useState<BulkOutcomeKind | null>(null)
  const [text, setText] = useState('')
  if (rows.length === 0) return null
  const found = filterBulkOutcomeRows(rows, kind, text)
  const unlisted = Math.max(0, found.length - MAX_LISTED) + (text === '' && (kind === null || kind === 'updated') ? Math.max(0, counts.updated - rows.filter((row) => row.kind === 'updated').length) : 0)
  const groups = groupByCampaign(found.slice(0, MAX_LISTED), ({ campaign }) => campaign)
  const kinds = KINDS.filter((one) => counts[one] > 0)
  return (
    <div className={styles.outcome}>
      <SingleChoiceChips label={t('bulk.filter')} value={kind} onChoose={(next) => setKind(next === kind ? null : next)} chips={[
        { value: null, text: t('bulk.all') },
        ...kinds.map((one) => ({ value: one, text: t(LABELS[one], { n: formatCount(counts[one]) }) })),
      ]} />
      {rows.length >= MIN_SEARCHED && <SearchBox label={t('bulk.searchVin')} value={text} onChange={setText} />}
      <ScrollableTable label={t('bulk.vehicles')} heads={[t('vehicles.vin'), t('bulk.outcome')]}>
        {groups.map(({ campaign, rows: vehicles }) => (
          <CampaignRows key={campaign} campaign={campaign === '' && groups.length > 1 ? t('csv.unchanged') : campaign}>
            {vehicles.map((row, index) => (
              <Row key={`${index} ${row.vin}`} row={row} />
            ))}
          </CampaignRows>
        ))}
      </ScrollableTable>
      {found.length === 0 && <p className="quiet">{t('vehicles.noMatch')}</p>}
      {unlisted > 0 && <p className="quiet">{t('bulk.more', { n: formatCount(unlisted) })}</p>}
    </div>
  )
}

function Row({ row: { kind, vin, changes, reason, words } }: { row: BulkOutcomeRow }) {
  const t = useManageText()
  return (
    <VehicleRow vin={vin} data-outcome={kind}>
      {kind === 'updated' && <FieldChanges changes={changes} />}
      {kind === 'skipped' && (reason === null ? words : t(reason))}
      {kind === 'missing' && t('bulk.notFound')}
    </VehicleRow>
  )
}
