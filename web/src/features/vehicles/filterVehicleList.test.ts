import { expect, test } from 'vitest'
import type { ListedVehicle } from '@/api/types'
import { filterVehicleList, FILTER_INSPECTED_WITHOUT_STATUS, buildVehicleSearchIndex, FILTER_NOT_INSPECTED } from './filterVehicleList'

const vehicle = (id: number, vin_number: string, parking_space: string, status: ListedVehicle['status'] = ''): ListedVehicle => ({
  id, vin_number, parking_space, status, yard_group: parking_space.split('-')[0] ?? '', id_yard: 2, inspected: status !== '', version: 1,
})
const few = buildVehicleSearchIndex([vehicle(1, 'HB20 000001', 'A-10', 'ok'), vehicle(2, 'HB20 000002', 'A-2'), vehicle(3, 'CRETA 000010', 'B-1', 'ng')])
const every = { search: '', yard: '', statuses: [] as string[] }
const idsOf = (filter: Partial<typeof every>) => filterVehicleList(few, { ...every, ...filter }).vehicles.map(({ id }) => id)

test('the search looks into VIN and parking space, in any case', () => {
  expect(idsOf({ search: 'hb20' })).toEqual([1, 2])
  expect(idsOf({ search: 'a-1' })).toEqual([1])
  expect(idsOf({ search: '00010' })).toEqual([3])
})

test('a vehicle is found by every spelling of its identifier and of its space', () => {
  for (const search of ['CRETA000010', '*creta000010*', 'creta-000010', ' CRETA  000010 ', 'ICRETA000010', 'b1', 'b - 1', 'B\u20131']) expect(idsOf({ search }), search).toEqual([3])
  expect(['I', '- 1'].map((search) => idsOf({ search }))).toEqual([[], []])
})

test('cars whose space has no hyphen or a longer group are in the yard of their first letter, and in their group', () => {
  const odd = buildVehicleSearchIndex([vehicle(1, 'X 1', 'A-1'), vehicle(2, 'X 2', 'A12'), vehicle(3, 'X 3', 'AB-3'), { ...vehicle(4, 'X 4', '7-1'), id_yard: null }, vehicle(5, 'X 5', 'a-9')])
  expect(odd.places).toEqual(['7', 'A', 'A12', 'AB'])
  const inPlace = (yard: string) => filterVehicleList(odd, { ...every, yard }).vehicles.map(({ id }) => id)
  expect([inPlace('A'), inPlace('AB'), inPlace('7')]).toEqual([[1, 2, 3, 5], [3], [4]])
})

test('yard and status narrow it further', () => {
  expect(idsOf({ yard: 'A', statuses: [FILTER_NOT_INSPECTED] })).toEqual([2])
  expect(idsOf({ yard: 'B', search: 'hb' })).toEqual([])
})

test('the counts per status are those before the status is chosen', () => {
  const found = filterVehicleList(few, { ...every, yard: 'A', statuses: ['ok'] })
  expect([[...found.counts], found.total, found.vehicles.length]).toEqual([[['ok', 1], [FILTER_NOT_INSPECTED, 1]], 2, 1])
})

test('a vehicle inspected without a status is distinguished from one that waits', () => {
  const both = buildVehicleSearchIndex([vehicle(1, 'X 1', 'A-1'), { ...vehicle(2, 'X 2', 'A-2'), inspected: true }, vehicle(3, 'X 3', 'A-3')])
  const ids = (...statuses: string[]) => filterVehicleList(both, { ...every, statuses }).vehicles.map(({ id }) => id)
  expect([ids(FILTER_NOT_INSPECTED), ids(FILTER_INSPECTED_WITHOUT_STATUS), ids(FILTER_NOT_INSPECTED, FILTER_INSPECTED_WITHOUT_STATUS)]).toEqual([[1, 3], [2], [1, 2, 3]])
  expect([...filterVehicleList(both, every).counts]).toEqual([[FILTER_NOT_INSPECTED, 2], [FILTER_INSPECTED_WITHOUT_STATUS, 1]])
})

test('yards and yard groups come in natural order', () => {
  expect(buildVehicleSearchIndex([vehicle(1, 'X 1', 'B10-1'), vehicle(2, 'X 2', 'B2-1'), vehicle(3, 'X 3', 'A-1')]).places).toEqual(['A', 'B', 'B2', 'B10'])
})

test('a key costs less than 50 ms among 100,000 vehicles', () => {
  const many = buildVehicleSearchIndex(Array.from({ length: 100_000 }, (_, n) => vehicle(n, `HB20 ${String(n).padStart(6, '0')}`, `A-${n % 900}`)))
  filterVehicleList(many, { ...every, search: 'warm' })
  const start = performance.now()
  expect(filterVehicleList(many, { ...every, search: '99999' }).vehicles).toHaveLength(1)
  expect(performance.now() - start).toBeLessThan(50)
})
