import type { ListedVehicle } from '@/api/types'
import { VEHICLE_STATUSES } from '@/lib/vehicleStatus'
import { yieldToEventLoop } from '@/lib/yieldToEventLoop'
import { FILTER_NOT_INSPECTED, getStatusFilterValue, FILTER_INSPECTED_WITHOUT_STATUS } from './filterVehicleList'

export const VEHICLE_SORT_COLUMNS = ['vin', 'space', 'status'] as const
export type VehicleSortColumn = (typeof VEHICLE_SORT_COLUMNS)[number]

export interface VehicleListSort {
  column: VehicleSortColumn
  /** Whether the order is descending. */
  down: boolean
}

/** Parses a sort order as written in the URL: the column, with a leading hyphen for descending order. Returns `null` for the list's own order. */
export function parseListSort(text: string | null): VehicleListSort | null {
  const down = text?.startsWith('-') ?? false
  const column = VEHICLE_SORT_COLUMNS.find((name) => name === (down ? text?.slice(1) : text))
  return column === undefined ? null : { column, down }
}

/**
 * Returns the sort order after a click on a column, as written in the URL: ascending, then descending, then the list's own order
 * (`null`).
 */
export function getNextSortParam(sort: VehicleListSort | null, column: VehicleSortColumn): string | null {
  if (sort?.column !== column) return column
  return sort.down ? null : `-${column}`
}

const STATUS_ORDER: readonly string[] = [FILTER_NOT_INSPECTED, FILTER_INSPECTED_WITHOUT_STATUS, ...VEHICLE_STATUSES]

/** Sorts vehicles by status. Vehicles of one status keep their order. */
export function sortVehiclesByStatus(vehicles: readonly ListedVehicle[], down: boolean): ListedVehicle[] {
  const groups = new Map<string, ListedVehicle[]>()
  for (const vehicle of vehicles) {
    const name = getStatusFilterValue(vehicle)
    const group = groups.get(name)
    if (group === undefined) groups.set(name, [vehicle])
    else group.push(vehicle)
  }
  const names = [...groups.keys()].toSorted((a, b) => STATUS_ORDER.indexOf(a) - STATUS_ORDER.indexOf(b))
  return (down ? names.toReversed() : names).flatMap((name) => groups.get(name) ?? [])
}

const textOf = (vehicle: ListedVehicle, column: VehicleSortColumn): string => (column === 'space' ? vehicle.parking_space : vehicle.vin_number)

const DIGITS = 9
/** Returns a key for sorting in natural order, with A-2 before A-10. Plain comparison of two keys is faster than a collator. */
const keyOf = (text: string): string => text.trim().toUpperCase().replace(/\d+/g, (digits) => digits.padStart(DIGITS, '0'))

const SLICE = 1000
const SLICE_MS = 8

/**
 * Returns the array indexes of the vehicles, sorted by a column. Vehicles with equal texts keep their order. Works in slices of a few
 * milliseconds, so that the page stays responsive. Returns `null` when the signal aborts.
 */
export async function computeVehicleOrderByColumn(vehicles: readonly ListedVehicle[], { column, down }: VehicleListSort, signal: AbortSignal): Promise<Uint32Array | null> {
  const count = vehicles.length
  const keys: string[] = []
  let begun = performance.now()
  const rest = async () => {
    if (performance.now() - begun < SLICE_MS) return
    await yieldToEventLoop()
    begun = performance.now()
  }
  const goesBefore = (a: number, b: number): number => {
    const [left = '', right = ''] = [keys[a], keys[b]]
    return left === right ? 0 : left < right === down ? 1 : -1
  }

  let from: Uint32Array<ArrayBuffer> = new Uint32Array(count)
  for (let start = 0; start < count; start += SLICE) {
    const end = Math.min(start + SLICE, count)
    const run: number[] = []
    for (let at = start; at < end; at++) {
      run.push(at)
      const vehicle = vehicles[at]
      keys.push(vehicle === undefined ? '' : keyOf(textOf(vehicle, column)))
    }
    from.set(run.toSorted(goesBefore), start)
    await rest()
    if (signal.aborted) return null
  }
  let into: Uint32Array<ArrayBuffer> = new Uint32Array(count)
  for (let width = SLICE; width < count; width *= 2) {
    for (let start = 0; start < count; start += 2 * width) {
      const [middle, end] = [Math.min(start + width, count), Math.min(start + 2 * width, count)]
      let [left, right] = [start, middle]
      for (let at = start; at < end; at++) {
        const takesLeft = right >= end || (left < middle && goesBefore(from[left] ?? 0, from[right] ?? 0) <= 0)
        into[at] = from[takesLeft ? left++ : right++] ?? 0
        if (at % SLICE !== 0) continue
        await rest()
        if (signal.aborted) return null
      }
    }
    ;[from, into] = [into, from]
  }
  return from
}

/** Returns whether two lists have the same texts in a column, so that the sort order of one list is valid for the other. */
export const haveSameColumnTexts = (a: readonly ListedVehicle[], b: readonly ListedVehicle[], column: VehicleSortColumn): boolean =>
  a.length === b.length && a.every((vehicle, at) => vehicle === b[at] || (b[at] !== undefined && textOf(vehicle, column) === textOf(b[at], column)))

/** Returns the found vehicles of a list in the order that was computed for the full list. */
export function sortVehiclesByPrecomputedOrder(found: readonly ListedVehicle[], all: readonly ListedVehicle[], order: Uint32Array): ListedVehicle[] {
  const isEverything = found.length === all.length
  const wanted = new Set(isEverything ? [] : found)
  const sorted: ListedVehicle[] = []
  for (const at of order) {
    const vehicle = all[at]
    if (vehicle !== undefined && (isEverything || wanted.has(vehicle))) sorted.push(vehicle)
  }
  return sorted
}
