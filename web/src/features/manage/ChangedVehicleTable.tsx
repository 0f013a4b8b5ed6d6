import type { PreviewedVehicle } from '@/api/types'
import { groupByCampaign } from './groupByCampaign'
import { CampaignRows, ScrollableTable, VehicleRow } from './ScrollableTable'
import { FieldChanges } from './FieldChanges'
import { useManageText } from './text'

/** Table of changed vehicles by campaign, each with its field values before and after the change. */
export function ChangedVehicleTable({ vehicles }: { vehicles: PreviewedVehicle[] }) {
  const t = useManageText()
  if (vehicles.length === 0) return null
  return (
    <ScrollableTable label={t('csv.changes')} heads={[t('vehicles.vin'), t('csv.oldNew')]}>
      {groupByCampaign(vehicles, ({ campaign_name }) => campaign_name).map(({ campaign, rows }) => (
        <CampaignRows key={campaign} campaign={campaign}>
          {rows.map(({ line, vin_number, changes }) => (
            <VehicleRow key={line} vin={vin_number}>
              <FieldChanges changes={changes} />
            </VehicleRow>
          ))}
        </CampaignRows>
      ))}
    </ScrollableTable>
  )
}
