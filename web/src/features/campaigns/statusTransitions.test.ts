import { expect, test } from 'vitest'
import { listStatusTransitions } from './statusTransitions'

const targets = (...args: Parameters<typeof listStatusTransitions>) => listStatusTransitions(...args).map(({ to }) => to)

test('an operator takes no campaign anywhere', () => {
  expect((['Ready', 'Ongoing', 'Pending Review', 'Closed'] as const).flatMap((status) => targets(status, 'op'))).toEqual([])
})

test.each(['tm', 'admin'])('%s sends to review, takes back and closes', (role) => {
  expect([targets('Ready', role), targets('Ongoing', role), targets('Pending Review', role)]).toEqual([[], ['Pending Review', 'Closed'], ['Ongoing', 'Closed']])
})

test('only a supervisor reopens a closed campaign', () => {
  expect([targets('Closed', 'tm'), targets('Closed', 'admin')]).toEqual([[], ['Ongoing']])
})
