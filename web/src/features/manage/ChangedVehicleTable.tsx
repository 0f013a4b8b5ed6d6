import type { PreviewedVehicle } from '@/api/types'
import { Icon } from '@/ui/Icon'
import { groupRowsByCampaign } from './groupRowsByCampaign'
import { BulkVehicleTable, CampaignTableBody, VehicleRow } from './BulkVehicleTable'
import { FieldChangeList } from './FieldChangeList'
import { useManageText } from './text'
import styles from './ChangedVehicleTable.module.css'

/** Table of changed vehicles by campaign, each with its field values before and after the change. */
export function ChangedVehicleTable({ vehicles }: { vehicles: PreviewedVehicle[] }) {
  const t = useManageText()
  if (vehicles.length === 0) return null
  return (
    <BulkVehicleTable label={t('csv.changes')} heads={[t('vehicles.vin'), t('csv.oldNew')]}>
      {groupRowsByCampaign(vehicles, ({ campaign_name }) => campaign_name).map(({ campaign, rows }) => (
        <CampaignTableBody key={campaign} campaign={campaign}>
          {rows.map(({ line, vin_number, changes, has_open_conflict: isInConflict }) => (
            <VehicleRow key={line} vin={vin_number}>
              <FieldChangeList changes={changes} />
              {isInConflict && <InConflictMark />}
            </VehicleRow>
          ))}
        </CampaignTableBody>
      ))}
    </BulkVehicleTable>
  )
}

/** Mark of a vehicle in which two people's values are still in conflict. */
function InConflictMark() {
  const t = useManageText()
  return (
    <div className={styles.conflict}>
      <Icon name="split" size={16} />
      {t('bulk.inConflict')}
    </div>
  )
}
