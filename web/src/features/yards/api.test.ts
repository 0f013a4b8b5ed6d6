import { expect, test } from 'vitest'
import { chooseYardTileColour, groupInspectorsByYard, groupYardsByOccupancy } from './api'

const tile = (name: string, inspected: number, total: number) => ({ id: name.charCodeAt(0), name, inspected, total })

test('a tile is coloured by its total, with 500, 1000 and 5000 as thresholds', () => {
  expect([0, 499, 500, 1000, 1001, 5000, 5001].map(chooseYardTileColour)).toEqual(['slate', 'slate', 'seafoam', 'seafoam', 'sky', 'sky', 'aqua'])
})

test('yards with work come first, then the finished ones, and those without vehicles apart', () => {
  const { busy, empty } = groupYardsByOccupancy([tile('A', 5, 5), tile('B', 0, 0), tile('C', 1, 9), tile('D', 0, 3)])
  expect([busy, empty].map((tiles) => tiles.map(({ name }) => name).join(''))).toEqual(['CDA', 'B'])
})

test('people are listed once, in the yard of their latest save, and those without a yard nowhere', () => {
  const person = (hmc: string, yard_id: number | null, minute = 0) => ({ hmc, yard_id, last_at: new Date(60_000 * minute).toISOString(), per_hour: 1, saves: 1 })
  const pace = (campaign_id: number, ...people: ReturnType<typeof person>[]) => ({ campaign_id, people, per_hour: 1, remaining: 1 })
  expect([...groupInspectorsByYard([pace(1, person('op-10', 2), person('op-9', 2, 5), person('op-8', 3)), pace(2, person('op-9', 4, 3), person('op-8', 4, 1), person('op-1', null))])])
    .toEqual([[2, ['op-9', 'op-10']], [4, ['op-8']]])
})
