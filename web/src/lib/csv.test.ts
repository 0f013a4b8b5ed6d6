import { expect, test } from 'vitest'
import { buildCsv } from './csv'

test('a CSV file has a UTF-8 mark and one line per row', () => {
  expect(buildCsv([['Row', 'Problem'], ['3', 'vazio']])).toBe('\ufeffRow;Problem\r\n3;vazio\r\n')
})

test.each([
  ['=1+1', "'=1+1"], ['+1', "'+1"], ['- 3', "'- 3"], ['@SUM(A1)', "'@SUM(A1)"], ['\t1', "'\t1"], ['\r1', '"\'\r1"'], ['A;"B"', '"A;""B"""'], ['a\nb', '"a\nb"'], ['A-1', 'A-1'], ['', ''],
])('the cell %j is written as %j', (text, cell) => {
  expect(buildCsv([[text]])).toBe(`\ufeff${cell}\r\n`)
})
