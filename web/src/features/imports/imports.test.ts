import { expect, test } from 'vitest'
import { findWorkbookFileError, MAX_WORKBOOK_BYTES } from '@/lib/workbookFile'
import { buildRejectedRowsCsv } from './RejectedUploadNotice'

test('only workbooks of at most 5 MB are taken', () => {
  const type = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
  expect(findWorkbookFileError({ name: 'a.XLSX', type, size: MAX_WORKBOOK_BYTES })).toBeNull()
  expect(findWorkbookFileError({ name: 'a.xlsx', type: '', size: 1 })).toBeNull()
  expect(findWorkbookFileError({ name: 'a.xlsx', type, size: MAX_WORKBOOK_BYTES + 1 })).toBe('file.tooLarge')
  expect(findWorkbookFileError({ name: 'a.xls', type: '', size: 1 })).toBe('file.onlyXlsx')
  expect(findWorkbookFileError({ name: 'a.xlsx', type: 'text/plain', size: 1 })).toBe('file.onlyXlsx')
})

test('the list of bad rows is a CSV without formulas', () => {
  const rows = [{ row: 3, column: 'Parking Space', message: '=1+1 "x"' }, { row: 4, column: 'VIN Number', message: '\tnão; cabe' }]
  expect(buildRejectedRowsCsv(rows, ['Row', 'Column', 'Problem'])).toBe('\ufeffRow;Column;Problem\r\n3;Parking Space;"\'=1+1 ""x"""\r\n4;VIN Number;"\'\tnão; cabe"\r\n')
})
