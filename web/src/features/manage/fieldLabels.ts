import { useManageText } from './text'

/** Translates field names and field values into the labels used on the other screens. */
export function useFieldLabels() {
  const t = useManageText()
  const names: Record<string, string> = {
    parking_space: t('vehicles.space'),
    status: t('vehicles.status'),
    inspected: t('csv.inspected'),
    operator_notes: t('vehicle.operatorNotes'),
    admin_notes: t('vehicle.adminNotes'),
  }
  const shown = (field: string, value: string) => {
    if (field === 'inspected') return t(value === 'true' ? 'csv.yes' : 'csv.no')
    return value === '' ? '—' : value
  }
  return { t, fieldName: (field: string) => names[field] ?? field, shown }
}
