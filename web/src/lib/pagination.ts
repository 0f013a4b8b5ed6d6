export const PAGE_SIZE = 10
const WINDOW = 2

export const countPages = (total: number, perPage = PAGE_SIZE): number => Math.max(1, Math.ceil(total / perPage))

/** Returns the page numbers to offer: the first, the last, and those around the current page. 'gap' stands for omitted page numbers. */
export function listPageNumbers(current: number, pages: number): (number | 'gap')[] {
  const near = new Set([1, pages])
  for (let page = current - WINDOW; page <= current + WINDOW; page++) if (page >= 1 && page <= pages) near.add(page)
  const shown: (number | 'gap')[] = []
  let last = 0
  for (const page of [...near].toSorted((a, b) => a - b)) {
    if (page - last > 1) shown.push('gap')
    shown.push(page)
    last = page
  }
  return shown
}
