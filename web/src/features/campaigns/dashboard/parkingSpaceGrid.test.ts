import { expect, test } from 'vitest'
import type { ListedVehicle } from '@/api/types'
import { createParkingSpaceGrid, buildParkingSpaceSvgPath, findMissingVehicleRanges, ROW_LABEL_WIDTH_PX } from './parkingSpaceGrid'

const vehicle = (parking_space: string, status: string, id_yard = 1) => ({ parking_space, status, id_yard }) as ListedVehicle
const row = (spaces: string[], status = 'Not Found') => spaces.map((space) => vehicle(space, status))

test('four or more vehicles not found in neighbouring spaces are one run', () => {
  expect(findMissingVehicleRanges([vehicle('B-40', 'ok'), ...row(['B-41', 'B-42', 'B-43', 'B-44']), vehicle('B-45', 'ng')]))
    .toEqual([{ yard: 1, first: 'B-41', last: 'B-44', vehicles: 4 }])
  expect(findMissingVehicleRanges(row(['B-41', 'B-42', 'B-43']))).toEqual([])
  expect(findMissingVehicleRanges(row(['B-41', 'B-42', 'B-44', 'B-45']))).toEqual([]) // a gap
  expect(findMissingVehicleRanges(row(['B-41', 'B-41', 'B-42', 'B-43']))).toHaveLength(1) // two cars in one space
  expect(findMissingVehicleRanges([...row(['A-9', 'A-10']), vehicle('B-11', 'Not Found', 2), vehicle('B-12', 'Not Found', 2)])).toEqual([])
  expect(findMissingVehicleRanges(row(['shed', 'shed', 'shed', 'shed']))).toEqual([]) // spaces without a number have no neighbours
})

test('the longest run comes first', () => {
  const runs = findMissingVehicleRanges([...row(['A-1', 'A-2', 'A-3', 'A-4']), vehicle('A-5', 'ok'), ...row(['A-6', 'A-7', 'A-8', 'A-9', 'A-10'])])
  expect(runs.map(({ first, vehicles }) => [first, vehicles])).toEqual([['A-6', 5], ['A-1', 4]])
})

test('a position finds the bay that is drawn there', () => {
  const grid = createParkingSpaceGrid(23, ROW_LABEL_WIDTH_PX + 11 * 21)
  expect([grid.columns, grid.rows, grid.pitch, grid.side]).toEqual([10, 3, 23, 20])
  for (const index of [0, 9, 10, 22]) {
    const { x, y } = grid.at(index)
    expect(grid.find(x + grid.side / 2, y + grid.side / 2)).toBe(index)
  }
  expect([grid.find(ROW_LABEL_WIDTH_PX - 5, 5), grid.find(ROW_LABEL_WIDTH_PX + 9 * 23 + 5, 2 * 23 + 5), grid.find(ROW_LABEL_WIDTH_PX + 10 * 23 + 5, 5), grid.find(ROW_LABEL_WIDTH_PX + 5, -5)]).toEqual([-1, -1, -1, -1])
  expect(buildParkingSpaceSvgPath(grid, [0, 10])).toBe(`M${ROW_LABEL_WIDTH_PX} 0h20v20h-20zM${ROW_LABEL_WIDTH_PX} 23h20v20h-20z`)
})

test('rows of round length fill the width', () => {
  for (const width of [320, 640, 798, 1200]) {
    const { columns, pitch, side, at } = createParkingSpaceGrid(500, width)
    const end = at(columns - 1).x + side
    expect(end).toBeLessThanOrEqual(width)
    expect(width - end).toBeLessThan(columns)
    expect([columns % 5, pitch >= 21]).toEqual([0, true])
  }
})
