import { expect, test } from 'vitest'
import { formatPercentage } from './percentage'

test.each([
  [0, 240, '0'], [1, 20_000, '<1'], [1, 201, '<1'], [1, 200, '1'], [5, 40, '13'], [1, 3, '33'], [199, 200, '>99'], [19_999, 20_000, '>99'], [198, 200, '99'], [240, 240, '100'], [241, 240, '100'], [0, 0, '0'],
])('%i of %i is %s percent', (part, total, words) => {
  expect(formatPercentage(part, total)).toBe(words)
})

test('only nothing is 0 percent, and only everything is 100 percent', () => {
  const total = 1000
  const shown = Array.from({ length: total + 1 }, (_, part) => formatPercentage(part, total))
  expect([shown.lastIndexOf('0'), shown.indexOf('100')]).toEqual([0, total])
})
