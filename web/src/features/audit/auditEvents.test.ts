import { expect, test } from 'vitest'
import { getDayStartIsoTimestamp, listFieldChanges, fitTextsOnLine } from './auditEvents'

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
  expect(listFieldChanges({ ...event, old: null, new: { hmc: '9' } })).toEqual([{ field: 'hmc', old: null, new: '9' }])
  expect(listFieldChanges({ ...event, old: { hmc: '9' }, new: null })).toEqual([{ field: 'hmc', old: '9', new: null }])
})

test('the status comes first, then the other fields with an old and a new value', () => {
  const fields = (old: Record<string, unknown>, after: Record<string, unknown>) => listFieldChanges({ ...event, old, new: after }).map(({ field }) => field)
  expect(fields({ notes: 'a', status: 'OK' }, { device: 'Phone', notes: 'b', status: 'NG' })).toEqual(['status', 'notes', 'device'])
  expect(fields({ inspected: false }, { inspected: true, 'status in conflict': { theirs: 'NG', mine: 'OK' } })).toEqual(['status', 'inspected'])
  expect(fields({ inspected: false }, { inspected: true, status: 'OK' })).toEqual(['status', 'inspected'])
})

test('a conflict has the values of both people', () => {
  const conflict = { 'status in conflict': { theirs: 'NG', mine: 'OK' } }
  expect(listFieldChanges({ ...event, kind: 'vehicle-changed', old: {}, new: conflict })).toEqual([{ field: 'status', old: 'NG', new: 'OK', inConflict: true }])
})

test('a rejected call has changed nothing, however often it was repeated', () => {
  expect(listFieldChanges({ ...event, kind: 'refused', new: { times: 3 } })).toEqual([])
})

test('texts fill a line as far as they fit, in their order', () => {
  const [a, b, c] = ['four', 'a long one', 'six...']
  expect(fitTextsOnLine([a, b, c], 10)).toEqual([[a, c], [b]])
  expect(fitTextsOnLine([], 10)).toEqual([[], []])
})

test('a day begins three hours after that of UTC', () => {
  expect([getDayStartIsoTimestamp('2026-11-21'), getDayStartIsoTimestamp('2026-11-30', 1), getDayStartIsoTimestamp(''), getDayStartIsoTimestamp('soon')]).toEqual(['2026-11-21T03:00:00.000Z', '2026-12-01T03:00:00.000Z', null, null])
})
