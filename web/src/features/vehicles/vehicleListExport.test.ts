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
