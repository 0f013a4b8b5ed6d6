import { expect, test } from 'vitest'
import type { ListedVehicle } from '@/api/types'
import { buildVehicleListCsv } from './vehicleListExport'

const vehicle = (vin_number: string, parking_space: string, status: ListedVehicle['status'] = ''): ListedVehicle => ({
  id: 1, vin_number, parking_space, status, yard_group: 'A', id_yard: 2, inspected: status !== '', version: 1,
})
const csvOf = (...vehicles: ListedVehicle[]) => buildVehicleListCsv(['VIN Number', 'Parking Space', 'Status'], vehicles, ({ status }) => status || 'Not inspected')

test('the file has the rows of the list in their order', () => {
  expect(csvOf(vehicle('HB20 000002', 'A-2', 'ng'), vehicle('HB20 000001', 'A-1'))).toBe('\ufeffVIN Number;Parking Space;Status\r\nHB20 000002;A-2;ng\r\nHB20 000001;A-1;Not inspected\r\n')
})

test('cells that begin like a formula get a leading quote', () => {
  for (const text of ['=1+1', '+1', '- 3', '@SUM(A1)', '\t1']) expect(csvOf(vehicle(text, text)).split('\r\n')[1], text).toBe(`'${text};'${text};Not inspected`)
})

test('delimiters and quotes are inside of quotes', () => {
  expect(csvOf(vehicle('A;"B"', 'A-1')).split('\r\n')[1]).toBe('"A;""B""";A-1;Not inspected')
})
