import { expect, test } from 'vitest'
import { refusal, slugOf, STATUSES } from './status'

const allowed = (role: string, stored: string) => STATUSES.filter((status) => refusal(role, stored, status) === null)

test.each(['op', 'tm'])('%s may choose ok, ng and Not Found only while there is no status', (role) => {
  expect(allowed(role, '')).toEqual(['ok', 'ng', 'Not Found'])
})

test.each(['ok', 'ng', 'Not Found', 'Repair OK', 'Gate Out', 'S/OFF BL'])('after %s an operator may go on to Repair', (stored) => {
  expect(allowed('op', stored)).toEqual(['Repair'])
})

test('Repair leads an operator to Repair OK alone', () => {
  expect(allowed('op', 'Repair')).toEqual(['Repair OK'])
})

test.each(['', ...STATUSES])('a supervisor may choose any status after "%s"', (stored) => {
  expect(allowed('admin', stored)).toEqual([...STATUSES])
})

test('each refusal says why', () => {
  expect(refusal('op', 'ok', 'ng')).toBe('status.onlyWithout')
  expect(refusal('op', '', 'Repair')).toBe('status.repairNeedsStatus')
  expect(refusal('op', 'ok', 'Repair OK')).toBe('status.repairOkNeedsRepair')
  expect(refusal('tm', '', 'Gate Out')).toBe('status.onlySupervisor')
  expect(refusal('op', 'ok', 'ok')).toBe('status.isCurrent')
})

test('an unknown status looks like none', () => {
  expect(slugOf('S/OFF BL')).toBe('soff-bl')
  expect(slugOf('something new')).toBe('none')
})
