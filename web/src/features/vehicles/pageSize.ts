import { PAGE_SIZE } from '@/lib/pagination'
import { readStoredJson, writeStoredJson } from '@/lib/storage'
import { createStore, useStore } from '@/lib/store'

/** Numbers of rows per page to choose from; 0 stands for all rows on one page. */
export const PAGE_SIZE_OPTIONS = [PAGE_SIZE, 25, 50, 100, 0] as const

const NAME = 'vehicleRows'
const isSize = (value: unknown): value is number => PAGE_SIZE_OPTIONS.some((size) => size === value)
const stored = createStore(readStoredJson(localStorage, NAME, isSize) ?? PAGE_SIZE)

/** Returns the number of rows per page that was chosen on this device; 0 for all rows on one page. */
export const usePageSize = (): number => useStore(stored)

export function setPageSize(size: number): void {
  if (!isSize(size)) return
  writeStoredJson(localStorage, NAME, size)
  stored.set(size)
}
