import { useIsPrinting } from '@/lib/printing'
import { defineFeatureText } from '@/lib/text/defineFeatureText'
import { formatCount } from '@/lib/format'

export const { catalogues, useFeatureText } = defineFeatureText(
  { 'print.range': '{from} to {to} of {total}' },
  {},
  { 'print.range': '{from} a {to} de {total}' },
)

interface PrintedRangeProps {
  /** Number of rows before the first printed row. */
  from: number
  /** Number of printed rows. */
  count: number
  /** Number of rows of the list on all pages. */
  total: number
}

/** Line above a printed list that states the range of printed rows, such as '1 to 50 of 300'. Renders nothing on the screen. */
export function PrintedRangeLine({ from, count, total }: PrintedRangeProps) {
  const t = useFeatureText()
  return useIsPrinting() && count > 0 && <p>{t('print.range', { from: formatCount(from + 1), to: formatCount(from + count), total: formatCount(total) })}</p>
}
