import { formatCount } from '@/lib/format'
import { useVehicleListText } from './listText'
import { MAX_PRINTED_ROWS } from '@/lib/printing'

/** Printed line that states how many of the vehicles are printed. Renders nothing when all vehicles are printed. */
export function PrintLimitNotice({ total }: { total: number }) {
  const t = useVehicleListText()
  return total > MAX_PRINTED_ROWS && <p>{t('list.cut', { n: formatCount(MAX_PRINTED_ROWS), total: formatCount(total) })}</p>
}
