import { expect, test } from 'vitest'
import { findStatusChangeError, getStatusSlug, VEHICLE_STATUSES } from './vehicleStatus'

const allowed = (role: string, stored: string) => VEHICLE_STATUSES.filter((status) => findStatusChangeError(role, stored, status) === null)

test.each(['op', 'tm'])('%s may choose ok, ng and Not Found only while there is no status', (role) => {
  expect(allowed(role, '')).toEqual(['ok', 'ng', 'Not Found'])
})

test.each(['ok', 'ng', 'Not Found', 'Repair OK', 'Gate Out', 'S/OFF BL'])('after %s an operator may go on to Repair', (stored) => {
  expect(allowed('op', stored)).toEqual(['Repair'])
})

test('after Repair an operator may choose only Repair OK', () => {
  expect(allowed('op', 'Repair')).toEqual(['Repair OK'])
})

test.each(['', ...VEHICLE_STATUSES])('a supervisor may choose any status after "%s"', (stored) => {
  expect(allowed('admin', stored)).toEqual([...VEHICLE_STATUSES])
})

test('each disallowed status has a reason', () => {
  expect(findStatusChangeError('op', 'ok', 'ng')).toBe('status.onlyWithout')
  expect(findStatusChangeError('op', '', 'Repair')).toBe('status.repairNeedsStatus')
  expect(findStatusChangeError('op', 'ok', 'Repair OK')).toBe('status.repairOkNeedsRepair')
  expect(findStatusChangeError('tm', '', 'Gate Out')).toBe('status.onlySupervisor')
  expect(findStatusChangeError('op', 'ok', 'ok')).toBe('status.isCurrent')
})

test('an unknown status has the style of no status', () => {
  expect(getStatusSlug('S/OFF BL')).toBe('soff-bl')
  expect(getStatusSlug('something new')).toBe('none')
})
