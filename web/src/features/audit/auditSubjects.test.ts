import { expect, test } from 'vitest'
import { describeOtherSubject, getAuditSubjectPath, listDeletedSubjects, parseAuditSubject, readRecordedHmc } from './auditSubjects'

const pathOf = (text: string) => {
  const subject = parseAuditSubject(text)
  return subject && getAuditSubjectPath(subject)
}

test('users, vehicles and campaigns have a page, other subjects have none', () => {
  expect(['vehicle 12', 'campaign 3', 'user 4'].map(pathOf)).toEqual(['/vehicle/12', '/campaign/3', '/user-management?user=4'])
  expect(['user 1', 'job 7', 'all campaigns', 'unknown hmc 12', 'audit log', 'vehicle x'].map(pathOf)).toEqual([null, null, null, null, null, null])
})

test('campaigns and users whose deletion is in the list are known as deleted', () => {
  const event = { id: 'auth-1', at: '2026-11-21T01:02:03Z', kind: 'user-changed', subject: 'user 3', summary: 'changed the user' }
  const events = [event, { ...event, subject: 'user 4', summary: 'deleted the user' }, { ...event, kind: 'campaign-deleted', subject: 'campaign 5' }]
  expect([...listDeletedSubjects(events)]).toEqual(['user 4', 'campaign 5'])
})

test('subjects without a page have a name, except those that are unknown', () => {
  expect(describeOtherSubject('all campaigns')).toEqual({ key: 'subject.allCampaigns', id: '' })
  expect(describeOtherSubject('job 7')).toEqual({ key: 'subject.job', id: '7' })
  expect(describeOtherSubject('unknown hmc 12 b')).toEqual({ key: 'subject.unknownHmc', id: '12 b' })
  expect(describeOtherSubject('service:import')).toBeNull()
})

test('the recorded login name of a user is the newest one in the event', () => {
  const event = { id: 'auth-1', at: '2026-11-21T01:02:03Z', kind: 'user-changed', subject: 'user 3', summary: 'changed the user' }
  expect(readRecordedHmc({ ...event, old: { hmc: '1' }, new: { hmc: '2' } })).toBe('2')
  expect(readRecordedHmc({ ...event, old: { hmc: '1' }, new: null })).toBe('1')
  expect(readRecordedHmc(event)).toBeNull()
})
