import { parseId, parsePageNumber, setQueryParams, useQueryParams } from '@/lib/route'
import type { VehicleListFilter } from './filterVehicleList'
import { parseListSort, type VehicleListSort } from './vehicleListSort'

/** State of the vehicle list that is stored in the URL. */
export interface VehicleListUrlState {
  filter: VehicleListFilter
  sort: VehicleListSort | null
  page: number
  /** Id of the vehicle that is open beside the list; `null` when none is open. */
  open: number | null
}

const SEPARATOR = ','

export function useVehicleListUrlState(): VehicleListUrlState {
  const query = useQueryParams()
  const statuses = (query.get('status') ?? '').split(SEPARATOR).filter((status) => status !== '')
  return {
    filter: { search: query.get('search') ?? '', yard: query.get('yard') ?? '', statuses },
    sort: parseListSort(query.get('sort')),
    page: parsePageNumber(query),
    open: parseId(query.get('vehicle')),
  }
}

/** Adds a status to the status filter in the URL, or removes the status if the filter contains it. Returns to the first page. */
export function toggleStatusFilter(statuses: readonly string[], status: string): void {
  const next = statuses.includes(status) ? statuses.filter((other) => other !== status) : [...statuses, status]
  setQueryParams({ status: next.join(SEPARATOR), page: null })
}

export const clearListFilters = (): void => setQueryParams({ search: null, yard: null, status: null, page: null })
