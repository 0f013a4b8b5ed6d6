import type { PreviewedVehicle } from '@/api/types'
import { useVehicleFieldLabels } from './useVehicleFieldLabels'

/** Changed fields of a vehicle, one line each, with the values before and after the change. */
export function FieldChangeList({ changes }: Pick<PreviewedVehicle, 'changes'>) {
  const { t, fieldName, shown } = useVehicleFieldLabels()
  if (changes.length === 0) return <span className="quiet">{t('csv.unchanged')}</span>
  return changes.map(({ field, old, new: next }) => (
    <div key={field}>
      {fieldName(field)}: <span className="quiet">{shown(field, old)}</span> → <strong>{shown(field, next)}</strong>
    </div>
  ))
}
