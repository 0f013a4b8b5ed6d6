export const PER_PAGE = 10
const WINDOW = 2

export const pageCount = (total: number, perPage = PER_PAGE): number => Math.max(1, Math.ceil(total / perPage))

/** The pages to offer: first, current plus or minus two, last; 'gap' where some are left out. */
export function pageWindow(current: number, pages: number): (number | 'gap')[] {
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
