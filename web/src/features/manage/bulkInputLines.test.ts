import { expect, test } from 'vitest'
import { parseParkingSpaceLines, parseVinLines } from './bulkInputLines'
import { listSummaryClauses, getSkipReasonTextKey } from './bulkSummary'

test('a list of identifiers is split by line, blanks collapsed, empty lines dropped', () => {
  expect(parseVinLines('HB20\t 000001 \r\n\n   \n  CRETA  000002')).toEqual(['HB20 000001', 'CRETA 000002'])
})

test('two words are the identifier and the rest the parking space, dashes and all', () => {
  expect(parseParkingSpaceLines('HB20 000001 A-12\nHB20\t000002\t- 12\nHB20 000003 0-7 back').rows).toEqual([
    { vin: 'HB20 000001', parking_space: 'A-12' },
    { vin: 'HB20 000002', parking_space: '- 12' },
    { vin: 'HB20 000003', parking_space: '0-7 back' },
  ])
})

test('each wrong line is named with its number and what it lacks', () => {
  expect(parseParkingSpaceLines('HB20\n\nHB20 000001\n\tA-12\nHB20 1 A-1').wrong).toEqual([
    { line: 1, problem: 'bulk.invalid' },
    { line: 3, problem: 'bulk.noSpace' },
    { line: 4, problem: 'bulk.noVin' },
  ])
})

const noPreview = { preview: [], replaced_statuses: [], open_conflicts: 0, warnings: [] }
const skipped = (code: string, n: number) => Array.from({ length: n }, (_, index) => ({ vin: `S ${index}`, code, reason: '' }))

test('the sentence says who changes, who is so already and who is nowhere', () => {
  const result = { matched: 421, updated: 412, skipped: skipped('SAME_STATUS', 9), not_found: ['X 1', 'X 2', 'X 3'], ...noPreview }
  expect(listSummaryClauses('insert', result)).toEqual([{ key: 'bulk.become', n: 412 }, { key: 'bulk.alreadySet', n: 9 }, { key: 'bulk.notIn', n: 3 }])
})

test('one of a kind is said in the singular, and nobody is not said at all', () => {
  expect(listSummaryClauses('remove', { matched: 1, updated: 1, skipped: [], not_found: ['X 1'], ...noPreview })).toEqual([{ key: 'bulk.cleared', n: 1 }, { key: 'bulk.notIn', n: 1 }])
  expect(listSummaryClauses('move', { matched: 2, updated: 0, skipped: skipped('CAMPAIGN_CLOSED', 2), not_found: [], ...noPreview })).toEqual([{ key: 'bulk.move', n: 0 }, { key: 'bulk.inClosed', n: 2 }])
})

test('a vehicle that is already in the space is counted as already there', () => {
  expect(listSummaryClauses('move', { matched: 1, updated: 0, skipped: skipped('SAME_SPACE', 1), not_found: [], ...noPreview })).toEqual([{ key: 'bulk.move', n: 0 }, { key: 'bulk.alreadyThere', n: 1 }])
})

test('an unknown reason has no text key', () => {
  expect([getSkipReasonTextKey('NO_STATUS'), getSkipReasonTextKey('SOMETHING_NEW')]).toEqual(['reason.noStatus', null])
})
