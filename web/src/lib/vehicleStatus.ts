export const VEHICLE_STATUSES = ['ok', 'ng', 'Not Found', 'Repair', 'Repair OK', 'Gate Out', 'S/OFF BL'] as const
export type VehicleStatus = (typeof VEHICLE_STATUSES)[number]

/** Returns the vehicle status with this exact name, or '' for an unknown name. */
export const parseVehicleStatus = (text: string): VehicleStatus | '' => VEHICLE_STATUSES.find((status) => status === text) ?? ''

const SLUGS: Record<string, string> = {
  ok: 'ok',
  ng: 'ng',
  'not found': 'not-found',
  repair: 'repair',
  'repair ok': 'repair-ok',
  'gate out': 'gate-out',
  's/off bl': 'soff-bl',
}

/** Returns the class name of a status in the style sheets, which determines its colour and shape. Returns 'none' for an unknown status. */
export const getStatusSlug = (status: string): string => SLUGS[status.toLowerCase()] ?? 'none'

/** Text key of the reason why a user cannot choose a vehicle status. */
export type StatusChangeErrorKey = `status.${'isCurrent' | 'onlyWithout' | 'repairNeedsStatus' | 'repairOkNeedsRepair' | 'onlySupervisor'}`

/** Returns the reason why a role cannot change the status `stored` to `wanted`. Returns null when the change is allowed. */
export function findStatusChangeError(role: string, stored: string, wanted: VehicleStatus): StatusChangeErrorKey | null {
  if (role === 'admin') return null
  if (wanted === stored) return 'status.isCurrent'
  switch (wanted) {
    case 'ok':
    case 'ng':
    case 'Not Found':
      return stored === '' ? null : 'status.onlyWithout'
    case 'Repair':
      return stored === '' ? 'status.repairNeedsStatus' : null
    case 'Repair OK':
      return stored === 'Repair' ? null : 'status.repairOkNeedsRepair'
    default:
      return 'status.onlySupervisor'
  }
}
