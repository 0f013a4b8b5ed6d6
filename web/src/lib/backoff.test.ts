import { expect, test } from 'vitest'
import { computeBackoffMs } from './backoff'

test('attempts are spread out and never further apart than some seconds', () => {
  expect([computeBackoffMs(1, 0), computeBackoffMs(1, 1), computeBackoffMs(3, 1), computeBackoffMs(30, 1)]).toEqual([400, 800, 3200, 6000])
})
