import { expect, test } from 'vitest'
import { createListedVehicle as row } from '@/testing/listedVehicles'
import { applySnapshotDelta, hasUnknownVehicles } from './delta'
import { decodeVehicleRows, encodeVehicleRows } from './encoding'

const rows = [row(1), row(2, { status: 'ok', inspected: true, version: 3 }), row(3)]

test('encoded rows are decoded to the same rows in the same order', () => {
  const many = Array.from({ length: 4100 }, (_, index) => row(index + 1, { id_yard: index % 2 === 0 ? 2 : null }))
  expect(encodeVehicleRows(many)).toHaveLength(3)
  expect(decodeVehicleRows(encodeVehicleRows(many))).toEqual(many)
  expect(decodeVehicleRows(encodeVehicleRows([]))).toEqual([])
})

test('a delta replaces older rows only, and an unchanged list stays the same array', () => {
  expect(applySnapshotDelta(rows, [row(1, { status: 'ng', version: 2 }), row(2, { version: 2 })], [3])).toEqual([row(1, { status: 'ng', version: 2 }), rows[1]])
  expect(applySnapshotDelta(rows, [row(2, { status: 'ng', version: 3 })])).toBe(rows)
  expect([hasUnknownVehicles(rows, [row(3)]), hasUnknownVehicles(rows, [row(4)])]).toEqual([false, true])
})
