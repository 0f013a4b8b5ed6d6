import { expect, test } from 'vitest'
import { readInspectionDraft, writeInspectionDraft, type InspectionDraft } from './inspectionDrafts'
import { countPages, listPageNumbers } from './pagination'
import { parseId, buildPath, parsePageNumber } from './route'
import { formatCount, formatDate, formatLogTimestamp, formatTime } from './format'
import { createUuid } from './createUuid'

test('the pager shows first, last and the current page plus or minus two', () => {
  expect(listPageNumbers(10, 40)).toEqual([1, 'gap', 8, 9, 10, 11, 12, 'gap', 40])
  expect(listPageNumbers(1, 3)).toEqual([1, 2, 3])
  expect(listPageNumbers(4, 5)).toEqual([1, 2, 3, 4, 5])
})

test('there is always at least one page', () => {
  expect([0, 1, 10, 11, 100_000].map((total) => countPages(total))).toEqual([1, 1, 1, 2, 10_000])
})

test('times are shown three hours behind UTC, independent of the time zone of the device', () => {
  expect([formatDate('2026-11-21T01:02:03Z'), formatTime('2026-11-21T01:02:03Z')]).toEqual(['20/11/2026', '22:02:03'])
  expect(formatLogTimestamp(new Date('2026-07-01T12:00:00Z'))).toBe('01/07/2026 ás 09:00:00')
})

test('counts are grouped with a thin space', () => {
  expect(formatCount(1240)).toBe('1\u202f240')
})

test('a link leaves out empty parameters', () => {
  expect(buildPath('/yard', { campaign: 7, search: '', page: null })).toBe('/yard?campaign=7')
  expect(buildPath('/yard')).toBe('/yard')
})

test('an invalid page number counts as the first page', () => {
  expect(['3', 'x', '-1', '0', '1.5'].map((page) => parsePageNumber(new URLSearchParams({ page })))).toEqual([3, 1, 1, 1, 1])
})

test('an id is a positive whole number', () => {
  expect(['12', '0', 'A', '', null].map(parseId)).toEqual([12, null, null, null, null])
})

test('a UUID is of version 4 also without a secure context', () => {
  expect(createUuid()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(createUuid()).not.toBe(createUuid())
})

const draft: InspectionDraft = { identifier: '12', status: 'ok', operator_notes: '', admin_notes: '', vin_number: 'A 1', parking_space: 'A-1', version: 3 }

test('a draft belongs to one person and one vehicle', () => {
  writeInspectionDraft('3', 7, draft)
  expect(readInspectionDraft('3', 7)).toEqual(draft)
  expect([readInspectionDraft('4', 7), readInspectionDraft('3', 8)]).toEqual([null, null])
})

test('a damaged draft is rejected', () => {
  localStorage.setItem('draft:3:7', '{"version":')
  expect(readInspectionDraft('3', 7)).toBeNull()
})
