import { expect, test } from 'vitest'
import { backoffMs } from './backoff'

test('attempts are spread out and never further apart than some seconds', () => {
  expect([backoffMs(1, 0), backoffMs(1, 1), backoffMs(3, 1), backoffMs(30, 1)]).toEqual([400, 800, 3200, 6000])
})
