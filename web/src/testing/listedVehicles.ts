import type { ListedVehicle } from '@/api/types'

/** Creates a row of a vehicle list, in yard A (ids 1 and 2) or K. */
export const createListedVehicle = (id: number, part: Partial<ListedVehicle> = {}): ListedVehicle => ({
  id, vin_number: `HB20 00000${id}`, parking_space: `A-${id}`, yard_group: id < 3 ? 'A' : 'K', id_yard: id < 3 ? 2 : 18, status: '', inspected: false, version: 1, ...part,
})
