import { expect, test } from 'vitest'
import type { ListedVehicle } from '@/api/types'
import { arrangeParkingSpaces, SPACE_SIDE_PX, buildParkingSpacePath, findMissingVehicleRuns, ROW_LABEL_WIDTH_PX } from './bays'

const vehicle = (parking_space: string, status: string, id_yard = 1) => ({ parking_space, status, id_yard }) as ListedVehicle
const row = (spaces: string[], status = 'Not Found') => spaces.map((space) => vehicle(space, status))

test('four or more vehicles not found in neighbouring spaces are one run', () => {
  expect(findMissingVehicleRuns([vehicle('B-40', 'ok'), ...row(['B-41', 'B-42', 'B-43', 'B-44']), vehicle('B-45', 'ng')]))
    .toEqual([{ yard: 1, first: 'B-41', last: 'B-44', vehicles: 4 }])
  expect(findMissingVehicleRuns(row(['B-41', 'B-42', 'B-43']))).toEqual([])
  expect(findMissingVehicleRuns(row(['B-41', 'B-42', 'B-44', 'B-45']))).toEqual([]) // a gap
  expect(findMissingVehicleRuns(row(['B-41', 'B-41', 'B-42', 'B-43']))).toHaveLength(1) // two cars in one space
  expect(findMissingVehicleRuns([...row(['A-9', 'A-10']), vehicle('B-11', 'Not Found', 2), vehicle('B-12', 'Not Found', 2)])).toEqual([])
  expect(findMissingVehicleRuns(row(['shed', 'shed', 'shed', 'shed']))).toEqual([]) // spaces without a number have no neighbours
})

test('the longest run comes first', () => {
  const runs = findMissingVehicleRuns([...row(['A-1', 'A-2', 'A-3', 'A-4']), vehicle('A-5', 'ok'), ...row(['A-6', 'A-7', 'A-8', 'A-9', 'A-10'])])
  expect(runs.map(({ first, vehicles }) => [first, vehicles])).toEqual([['A-6', 5], ['A-1', 4]])
})

test('a position finds the bay that is drawn there', () => {
  const grid = arrangeParkingSpaces(23, ROW_LABEL_WIDTH_PX + 11 * 21)
  expect([grid.columns, grid.rows]).toEqual([10, 3])
  for (const index of [0, 9, 10, 22]) {
    const { x, y } = grid.at(index)
    expect(grid.find(x + SPACE_SIDE_PX / 2, y + SPACE_SIDE_PX / 2)).toBe(index)
  }
  expect([grid.find(ROW_LABEL_WIDTH_PX - 5, 5), grid.find(ROW_LABEL_WIDTH_PX + 9 * 21 + 5, 2 * 21 + 5), grid.find(ROW_LABEL_WIDTH_PX + 10 * 21 + 5, 5), grid.find(ROW_LABEL_WIDTH_PX + 5, -5)]).toEqual([-1, -1, -1, -1])
  expect(buildParkingSpacePath(grid, [0, 10])).toBe(`M${ROW_LABEL_WIDTH_PX} 0h18v18h-18zM${ROW_LABEL_WIDTH_PX} 21h18v18h-18z`)
})
