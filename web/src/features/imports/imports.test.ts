import { expect, test } from 'vitest'
import { complaintAbout, LARGEST } from '@/lib/files'
import { csvOf } from './Refusal'

test('only workbooks of at most 5 MB are taken', () => {
  const type = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
  expect(complaintAbout({ name: 'a.XLSX', type, size: LARGEST })).toBeNull()
  expect(complaintAbout({ name: 'a.xlsx', type: '', size: 1 })).toBeNull()
  expect(complaintAbout({ name: 'a.xlsx', type, size: LARGEST + 1 })).toBe('import.tooLarge')
  expect(complaintAbout({ name: 'a.xls', type: '', size: 1 })).toBe('import.onlyXlsx')
  expect(complaintAbout({ name: 'a.xlsx', type: 'text/plain', size: 1 })).toBe('import.onlyXlsx')
})

test('the list of bad rows is a CSV without formulas', () => {
  expect(csvOf([{ row: 3, column: 'Parking Space', message: '=1+1 "x"' }])).toBe('Row,Column,Problem\r\n3,"Parking Space","\'=1+1 ""x"""')
})
