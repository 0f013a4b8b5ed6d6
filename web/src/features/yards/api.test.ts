import { expect, test } from 'vitest'
import { colourOf } from './api'

test('a tile is coloured by its total, with 500, 1000 and 5000 as thresholds', () => {
  expect([0, 499, 500, 1000, 1001, 5000, 5001].map(colourOf)).toEqual(['slate', 'slate', 'seafoam', 'seafoam', 'sky', 'sky', 'aqua'])
})
