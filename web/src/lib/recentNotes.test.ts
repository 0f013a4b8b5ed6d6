import { expect, test } from 'vitest'
import { readRecentNotes, recordRecentNote } from './recentNotes'

const record = (...notes: string[]) => {
  for (const note of notes) recordRecentNote('3', 5, note)
}

test('the three latest distinct notes of a campaign are stored, the latest first', () => {
  record('left door', 'roof', 'left door', '  ', ' no key ', 'tyre')
  expect(readRecentNotes('3', 5)).toEqual(['tyre', 'no key', 'left door'])
})

test('another person and another campaign have other notes', () => {
  record('left door')
  expect([readRecentNotes('4', 5), readRecentNotes('3', 6)]).toEqual([[], []])
})

test('notes of twenty campaigns are stored, and those of the campaign without a note for longest are deleted', () => {
  record('left door')
  recordRecentNote('3', 6, 'roof')
  record('left door')
  for (let campaign = 7; campaign < 26; campaign++) recordRecentNote('3', campaign, 'tyre')
  expect([readRecentNotes('3', 5), readRecentNotes('3', 6), readRecentNotes('3', 25)]).toEqual([['left door'], [], ['tyre']])
})

test.each(['not JSON', '{}', '[{"campaign":5}]', '[{"campaign":5,"notes":[1]}]'])('the damaged value %s counts as no notes', (stored) => {
  localStorage.setItem('notes:3', stored)
  expect(readRecentNotes('3', 5)).toEqual([])
  record('roof')
  expect(readRecentNotes('3', 5)).toEqual(['roof'])
})
