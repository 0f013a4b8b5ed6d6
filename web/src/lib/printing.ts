import { createStore, useStore } from '@/lib/store'

/** Maximum number of printed rows, which is about 70 A4 sheets. */
export const MAX_PRINTED_ROWS = 3000

/** Whether the page is being printed. Several events set the value, because browsers differ in the events that they send before printing. */
const printing = createStore(false)
const paper = window.matchMedia('print')
const update = () => printing.set(paper.matches)
paper.addEventListener('change', update)
window.addEventListener('beforeprint', () => printing.set(true))
window.addEventListener('afterprint', update)

/** Opens the browser's print dialog once all rows of the printed list are rendered. Nothing can be rendered while the dialog is open. */
export function printPage(): void {
  printing.set(true)
  setTimeout(() => window.print())
}

/**
 * Returns whether the page is being printed. During printing, a fully loaded list shows up to `MAX_PRINTED_ROWS` rows instead of one page.
 */
export const useIsPrinting = (): boolean => useStore(printing)

/** Returns the rows to show of a fully loaded list: one page of rows on the screen, or up to `MAX_PRINTED_ROWS` rows during printing. */
export function useScreenOrPrintedRows<T>(rows: readonly T[], page: number, size: number): { from: number; shown: T[] } {
  const isPrinting = useIsPrinting()
  const from = isPrinting ? 0 : (page - 1) * size
  return { from, shown: rows.slice(from, from + (isPrinting ? MAX_PRINTED_ROWS : size)) }
}
