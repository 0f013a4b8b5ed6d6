import type { BulkOutcomeKind, BulkOutcomeRow } from './bulkOutcomeRows'
import { FieldChangeList } from './FieldChangeList'
import { groupRowsByCampaign } from './groupRowsByCampaign'
import { BulkVehicleTable, CampaignTableBody, ListedCount, VehicleRow } from './BulkVehicleTable'
import { useManageText, type ManageTextKey } from './text'

/** Maximum number of rows in a table of vehicles. */
const MAX_LISTED = 200
/** Minimum number of rows for which a table of vehicles has a search field. */
export const MIN_ROWS_FOR_SEARCH = 10

export const OUTCOME_COUNT_LABELS: Record<BulkOutcomeKind, ManageTextKey> = { updated: 'bulk.changedCount', missing: 'bulk.missing', skipped: 'bulk.skipped' }

interface OutcomeRowsProps {
  label: string
  rows: BulkOutcomeRow[]
  /** Number of changed vehicles that are missing from `rows`, because the server lists only some of the changed vehicles. */
  unlisted?: number
}

/** Vehicles of a bulk change with their outcomes, as a table by campaign, and how many of all vehicles the table lists. */
export function BulkOutcomeVehicleTable({ label, rows, unlisted = 0 }: OutcomeRowsProps) {
  const t = useManageText()
  const listed = rows.slice(0, MAX_LISTED)
  const groups = groupRowsByCampaign(listed, ({ campaign }) => campaign)
  return (
    <>
      <BulkVehicleTable label={label} heads={[t('vehicles.vin'), t('bulk.outcome')]}>
        {groups.map(({ campaign, rows: vehicles }) => (
          <CampaignTableBody key={campaign} campaign={campaign === '' && groups.length > 1 ? t('csv.unchanged') : campaign}>
            {vehicles.map((row, index) => (
              <Row key={`${index} ${row.vin}`} row={row} />
            ))}
          </CampaignTableBody>
        ))}
      </BulkVehicleTable>
      {rows.length === 0 && <p className="quiet">{t('vehicles.noMatch')}</p>}
      <ListedCount listed={listed.length} total={rows.length + unlisted} />
    </>
  )
}

function Row({ row: { kind, vin, changes, reason, words } }: { row: BulkOutcomeRow }) {
  const t = useManageText()
  return (
    <VehicleRow vin={vin} data-outcome={kind}>
      {kind === 'updated' && <FieldChangeList changes={changes} />}
      {kind === 'skipped' && (reason === null ? words : t(reason))}
      {kind === 'missing' && t('bulk.notFound')}
    </VehicleRow>
  )
}
