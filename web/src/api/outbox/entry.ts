import type { Conflict } from '../types'
import type { Change, Fields } from '@/lib/fields'

/** Why a save was refused, as the server said it. */
export interface Refusal {
  status: number
  code: string
  message: string
}

/** One save of one person, kept on this device until the server has it. */
export interface Entry {
  /** Its place in the order of sending; given by the disk. */
  seq?: number
  id: string
  /** Under which the server knows it, however often it is sent. */
  key: string
  owner: string
  hmc: string
  vehicle: number
  vin: string
  space: string
  campaign: number
  campaign_name: string
  yard: number | null
  /** The yard that the vehicle stands in, whichever one walks. */
  stands_in: number | null
  /** The version of the vehicle that was seen, and the fields that change with what was seen of them. */
  version: number
  change: Change
  /** Whether the vehicle counted as inspected before. */
  inspected: boolean
  origin: 'scanned' | 'typed'
  /** The kept save that this one takes the place of. */
  replaces: number | null
  device_time: string
  at: number
  /** `ask` while the person stood before the screen that sent it, so that nothing was decided for them. */
  mode: 'ask' | 'keep'
  state: 'waiting' | 'refused' | 'done'
  reason: Refusal | null
  /** What the save ran into; told to the person when it is settled. */
  conflicts: Conflict[]
  done_at: number | null
}

interface Shown extends Fields {
  id: number
  inspected: boolean
}

/** A vehicle as its inspector left it: what was saved here and the server does not have yet is laid over it. */
export function overlaid<V extends Partial<Shown>>(vehicle: V, own: readonly Entry[]): V {
  return own.reduce<V>((shown, { change }) => ({ ...shown, ...change.wanted, inspected: true }), vehicle)
}

/** Own saves that the server does not have yet, by vehicle and in order. */
export function pendingOf(entries: readonly Entry[]): Map<number, Entry[]> {
  const pending = new Map<number, Entry[]>()
  for (const entry of entries) {
    if (entry.state !== 'waiting') continue
    const known = pending.get(entry.vehicle)
    if (known === undefined) pending.set(entry.vehicle, [entry])
    else known.push(entry)
  }
  return pending
}

/** A list with what was saved here laid over it; the same list when nothing waits. */
export function overlaidList<V extends Partial<Shown> & { id: number }>(list: readonly V[], pending: ReadonlyMap<number, Entry[]>): V[] {
  if (pending.size === 0) return list as V[]
  return list.map((vehicle) => {
    const own = pending.get(vehicle.id)
    return own === undefined ? vehicle : rowOf(overlaid(vehicle, own))
  })
}

/** A row of a list holds no notes. */
function rowOf<V extends Partial<Shown>>(vehicle: V): V {
  const { operator_notes: _operator, admin_notes: _admin, ...row } = vehicle
  return row as V
}

/** How many vehicles of a campaign are inspected here and not yet counted by the server. */
export function uncounted(pending: ReadonlyMap<number, Entry[]>, campaign: number, yard: number | null): number {
  let count = 0
  for (const [first] of pending.values()) {
    if (first !== undefined && first.campaign === campaign && !first.inspected && (yard === null || first.stands_in === yard)) count++
  }
  return count
}

const FIRST_MS = 800
const LONGEST_MS = 6000

/** How long to rest before the next try: longer each time, and never the same for all phones of a yard. */
export const restAfter = (failures: number, chance: number): number => Math.min(LONGEST_MS, FIRST_MS * 2 ** (failures - 1)) * (0.5 + chance / 2)

/** What an answer means for a save that waits. */
export function verdictOn(status: number, code: string, mode: Entry['mode']): 'again' | 'ended' | 'stale' | 'refused' {
  if (status === 401) return 'ended'
  // The gateway refuses with a code; a refusal without one is of a network that asks for a login first.
  if (code.startsWith('HTTP_')) return 'again'
  if (status === 0 || status >= 500 || status === 408 || status === 425 || status === 429) return 'again'
  return code === 'STALE_VERSION' && mode === 'ask' ? 'stale' : 'refused'
}
