import { VEHICLE_FIELD_LABELS } from '@/lib/vehicleFields'
import type { TextKey } from '@/lib/text'
import { useManageText, type ManageTextKey } from './text'

/** Returns functions that turn the names and values of vehicle fields into display texts. */
export function useVehicleFieldLabels() {
  const t = useManageText()
  const keys: Record<string, TextKey | ManageTextKey> = { ...VEHICLE_FIELD_LABELS, inspected: 'csv.inspected' }
  const shown = (field: string, value: string) => {
    if (field === 'inspected') return t(value === 'true' ? 'csv.yes' : 'csv.no')
    return value === '' ? '—' : value
  }
  return { t, fieldName: (field: string) => (keys[field] === undefined ? field : t(keys[field])), shown }
}
