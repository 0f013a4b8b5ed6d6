import { expect, test } from 'vitest'
import type { ListedVehicle } from '@/api/types'
import { createIdentifierIndex } from '@/lib/match'
import { findVehiclesAtParkingSpace, matchScannedTextToVehicles, matchTypedTextToVehicles, chooseScanFeedback } from './scanMatch'
import { findNextVehicle } from '@/lib/nextVehicles'

const vehicle = (id: number, inspected: boolean, id_yard = 2): ListedVehicle => ({
  id, inspected, id_yard, vin_number: `HB20 00000${id}`, parking_space: `A-${id}`, yard_group: 'A', status: inspected ? 'ok' : '', version: 1,
})
const list = [vehicle(1, false), vehicle(2, true), vehicle(3, false, 4), vehicle(4, false)]

test('next is the nearest not inspected after the last one, round to the start, never itself', () => {
  expect([findNextVehicle(list, null, 1), findNextVehicle(list, null, 4), findNextVehicle(list, null, null)].map(({ next, left }) => [next?.id, left])).toEqual([[3, 2], [1, 2], [1, 3]])
})

test('in a yard, next stays in it; at the end there is none', () => {
  expect(findNextVehicle(list, 2, 1)).toMatchObject({ next: { id: 4 }, left: 1 })
  expect(findNextVehicle([vehicle(2, true)], null, null)).toEqual({ next: null, left: 0 })
})

test('a scan sounds by what it is', () => {
  const index = createIdentifierIndex(list)
  const sound = (text: string, here: number | null) => chooseScanFeedback(matchTypedTextToVehicles(text, index, list), here)
  expect([sound('HB20 000001', 1), sound('HB20 000002', 2), sound('HB20 000003', 1), sound('XX 1', 1), sound('HB20 000004', null)]).toEqual(['matched', 'alreadyInspected', 'otherVehicle', 'unknown', 'matched'])
})

test('a scanned ending opens no vehicle, a typed one does', () => {
  const index = createIdentifierIndex(list)
  const ending = '000004'
  expect([matchTypedTextToVehicles(ending, index, list).kind, matchScannedTextToVehicles(ending, index, list)]).toEqual(['one', { kind: 'part', vehicles: [list[3]] }])
  expect(chooseScanFeedback(matchScannedTextToVehicles(ending, index, list), null)).toBe('otherVehicle')
  expect([matchScannedTextToVehicles('HB20 000004', index, list).kind, matchScannedTextToVehicles('*BAY-HB20000004*', index, list).kind]).toEqual(['one', 'one'])
})

test('a typed space finds the vehicles that stand there, however it is written, and no space finds none', () => {
  const found = (text: string) => findVehiclesAtParkingSpace(text, list).map(({ id }) => id)
  expect([found('A-3'), found('a3'), found(' A 3 '), found('A'), found('--'), found('')]).toEqual([[3], [3], [3], [], [], []])
})
