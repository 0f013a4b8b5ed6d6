import { expect, test } from 'vitest'
import { toDayStartIso, listFieldChanges } from './events'

const event = { id: 'auth-1', at: '2026-11-21T01:02:03Z', kind: 'user-changed', subject: 'user 3', summary: 'changed the user' }

test('an event without values has changed nothing that can be shown', () => {
  expect(listFieldChanges(event)).toEqual([])
})

test('each changed field is shown with its text before and after', () => {
  expect(listFieldChanges({ ...event, old: { hmc: '1003', user_type: 'op', inspected: false }, new: { hmc: '1003', user_type: 'tm', inspected: true } })).toEqual([
    { field: 'user_type', old: 'op', new: 'tm' },
    { field: 'inspected', old: 'false', new: 'true' },
  ])
})

test('what was made has no old value, what was deleted no new one', () => {
  expect(listFieldChanges({ ...event, old: null, new: { hmc: '9' } })).toEqual([{ field: 'hmc', old: '', new: '9' }])
  expect(listFieldChanges({ ...event, old: { hmc: '9' }, new: null })).toEqual([{ field: 'hmc', old: '9', new: '' }])
})

test('a day begins three hours after that of UTC', () => {
  expect([toDayStartIso('2026-11-21'), toDayStartIso('2026-11-30', 1), toDayStartIso(''), toDayStartIso('soon')]).toEqual(['2026-11-21T03:00:00.000Z', '2026-12-01T03:00:00.000Z', null, null])
})
