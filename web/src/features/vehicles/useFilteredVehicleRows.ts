import { useDeferredValue, useEffect, useMemo, useState } from 'react'
import type { ListedVehicle } from '@/api/types'
import { buildVehicleSearchIndex, filterVehicleList, type VehicleListFilter } from './filterVehicleList'
import { sortVehiclesByPrecomputedOrder, haveSameColumnTexts, computeVehicleOrderByColumn, sortVehiclesByStatus, type VehicleListSort } from './vehicleListSort'

interface Ordered {
  vehicles: readonly ListedVehicle[]
  sort: VehicleListSort
  positions: Uint32Array
}

/**
 * Returns the order of all vehicles by a text column, or `null` while the order is computed. The order is computed again only when the
 * texts of that column change.
 */
function useTextOrder(vehicles: readonly ListedVehicle[], sort: VehicleListSort | null): Uint32Array | null {
  const [ordered, setOrdered] = useState<Ordered | null>(null)
  const [column, down] = sort === null || sort.column === 'status' ? [null, false] : [sort.column, sort.down]
  const positions = useMemo(
    () => (ordered !== null && ordered.sort.column === column && ordered.sort.down === down && haveSameColumnTexts(ordered.vehicles, vehicles, column) ? ordered.positions : null),
    [ordered, vehicles, column, down],
  )
  const isMissing = positions === null
  useEffect(() => {
    if (column === null || !isMissing) return
    const aborting = new AbortController()
    const wanted = { column, down }
    void computeVehicleOrderByColumn(vehicles, wanted, aborting.signal).then((found) => found && setOrdered({ vehicles, sort: wanted, positions: found }))
    return () => aborting.abort()
  }, [vehicles, column, down, isMissing])
  return positions
}

/**
 * Searches, filters and sorts the vehicles of a list. `isReady` is false until the list is prepared for searching. `isSorting` is true
 * while the rows are not yet in the chosen order.
 */
export function useFilteredVehicleRows(vehicles: ListedVehicle[] | undefined, { search, yard, statuses }: VehicleListFilter, sort: VehicleListSort | null) {
  // Deferred, so that the first rows are drawn before the full list is prepared for searching and counting.
  const ready = useDeferredValue(vehicles, undefined)
  const index = useMemo(() => buildVehicleSearchIndex(ready ?? []), [ready])
  const chosen = statuses.join()
  const found = useMemo(() => filterVehicleList(index, { search, yard, statuses: chosen === '' ? [] : chosen.split(',') }), [index, search, yard, chosen])
  const order = useTextOrder(index.vehicles, sort)
  const sortedBy = sort?.column ?? null
  const down = sort?.down ?? false
  const sorted = useMemo(() => {
    if (sortedBy === null) return found.vehicles
    if (sortedBy === 'status') return sortVehiclesByStatus(found.vehicles, down)
    return order && sortVehiclesByPrecomputedOrder(found.vehicles, index.vehicles, order)
  }, [found, index, order, sortedBy, down])
  return { isReady: ready !== undefined, places: index.places, counts: found.counts, total: found.total, rows: sorted ?? found.vehicles, isSorting: sorted === null }
}
