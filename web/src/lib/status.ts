export const STATUSES = ['ok', 'ng', 'Not Found', 'Repair', 'Repair OK', 'Gate Out', 'S/OFF BL'] as const
export type VehicleStatus = (typeof STATUSES)[number]

/** A text as a status; anything unknown is none. */
export const statusIn = (text: string): VehicleStatus | '' => STATUSES.find((status) => status === text) ?? ''

const SLUGS: Record<string, string> = {
  ok: 'ok',
  ng: 'ng',
  'not found': 'not-found',
  repair: 'repair',
  'repair ok': 'repair-ok',
  'gate out': 'gate-out',
  's/off bl': 'soff-bl',
}

/** The name under which colour and shape of a status are found; anything unknown looks like none. */
export const slugOf = (status: string): string => SLUGS[status.toLowerCase()] ?? 'none'

/** The reasons why a status may not be chosen, as keys of their sentences. */
export type StatusRefusal = `status.${'isCurrent' | 'onlyWithout' | 'repairNeedsStatus' | 'repairOkNeedsRepair' | 'onlySupervisor'}`

/** Why this role may not change `stored` to `wanted`, or null when it may. */
export function refusal(role: string, stored: string, wanted: VehicleStatus): StatusRefusal | null {
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
