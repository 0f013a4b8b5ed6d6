import { expect, test } from 'vitest'
import type { ListedVehicle } from '@/api/types'
import { sortVehiclesByPrecomputedOrder, haveSameColumnTexts, getNextSortParam, computeVehicleOrderByColumn, parseListSort, sortVehiclesByStatus, type VehicleListSort } from './vehicleListSort'

const vehicle = (id: number, vin_number: string, parking_space: string, status: ListedVehicle['status'] = ''): ListedVehicle => ({
  id, vin_number, parking_space, status, yard_group: 'A', id_yard: 2, inspected: status !== '', version: 1,
})
const list = [vehicle(1, 'HB20 000010', 'A-2', 'ng'), vehicle(2, 'HB20 000002', 'A-10'), vehicle(3, 'HB20 000010', 'A-1', 'ok'), vehicle(4, 'CRETA 000003', 'B-1', 'ng')]
const going = new AbortController().signal
const idsBy = async (sort: VehicleListSort, found = list) => sortVehiclesByPrecomputedOrder(found, list, (await computeVehicleOrderByColumn(list, sort, going)) ?? new Uint32Array()).map(({ id }) => id)

test('three clicks on a column sort up, down and not at all', () => {
  const clicks: (string | null)[] = []
  for (let click = 0, sort: string | null = null; click < 4; click++) {
    sort = getNextSortParam(parseListSort(sort), 'space')
    clicks.push(sort)
  }
  expect(clicks).toEqual(['space', '-space', null, 'space'])
  expect(getNextSortParam(parseListSort('-space'), 'vin')).toBe('vin')
  expect([parseListSort('nonsense'), parseListSort('-'), parseListSort(null)]).toEqual([null, null, null])
})

test('texts come in natural order, and equal ones stay in walking order in both directions', async () => {
  expect(await idsBy({ column: 'space', down: false })).toEqual([3, 1, 2, 4])
  expect(await idsBy({ column: 'space', down: true })).toEqual([4, 2, 1, 3])
  expect(await idsBy({ column: 'vin', down: false })).toEqual([4, 2, 1, 3])
  expect(await idsBy({ column: 'vin', down: true })).toEqual([1, 3, 2, 4])
  expect(await idsBy({ column: 'vin', down: true }, list.slice(1))).toEqual([3, 2, 4])
})

test('statuses come in the order of their buttons, after the vehicles without one', () => {
  expect(sortVehiclesByStatus(list, false).map(({ id }) => id)).toEqual([2, 3, 1, 4])
  expect(sortVehiclesByStatus(list, true).map(({ id }) => id)).toEqual([1, 4, 3, 2])
})

test('a changed status leaves an order as it is, a changed space does not', () => {
  const changed = list.map((one) => (one.id === 2 ? { ...one, status: 'ok' as const } : one))
  expect(haveSameColumnTexts(list, changed, 'space')).toBe(true)
  expect(haveSameColumnTexts(list, list.map((one) => (one.id === 2 ? { ...one, parking_space: 'C-1' } : one)), 'space')).toBe(false)
  expect(haveSameColumnTexts(list, list.slice(1), 'space')).toBe(false)
})

test('100,000 vehicles are ordered in slices, and an abort ends it', async () => {
  const many = Array.from({ length: 100_000 }, (_, n) => vehicle(n, `HB20 ${String((n * 7919) % 100_000).padStart(6, '0')}`, `A-${(n * 31) % 900}`))
  const order = (await computeVehicleOrderByColumn(many, { column: 'vin', down: false }, going)) ?? []
  expect(order).toHaveLength(100_000)
  expect(Array.from(order.slice(0, 3), (at) => many[at]?.vin_number)).toEqual(['HB20 000000', 'HB20 000001', 'HB20 000002'])
  expect(many[order[99_999] ?? 0]?.vin_number).toBe('HB20 099999')
  const aborting = new AbortController()
  const cut = computeVehicleOrderByColumn(many, { column: 'space', down: true }, aborting.signal)
  aborting.abort()
  expect(await cut).toBeNull()
})
