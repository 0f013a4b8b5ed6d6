import { formatCount } from '@/lib/time'
import { useListText } from './listText'
import { MAX_PRINTED_ROWS } from './usePrinting'

/** Line on paper that says how many of the vehicles are printed. Nothing is shown when all of them are. */
export function PrintLimitNotice({ total }: { total: number }) {
  const t = useListText()
  return total > MAX_PRINTED_ROWS && <p>{t('list.cut', { n: formatCount(MAX_PRINTED_ROWS), total: formatCount(total) })}</p>
}
