import { conflictsQuery } from '@/api/conflicts'
import { heldElsewhere } from '@/api/disk'
import type { Conflict } from '@/api/types'
import { currentSession, ownerOf } from '@/api/session'
import { readStored, writeStored } from '@/lib/stored'
import { translate } from '@/lib/text'
import { toast } from '@/ui/Toast'
import { queries } from './queries'

const nameOf = (owner: string) => `outcomes:${owner}`
const MOST = 200
const OUTCOME_MS = 8000
const isIds = (value: unknown): value is number[] => Array.isArray(value) && value.every((id) => typeof id === 'number')

/** Tells each inspector once what became of a field that two of them changed. */
export function tell(conflicts: Conflict[]): void {
  const session = currentSession()
  if (session === null) return
  const { hmc } = session.user
  const name = nameOf(ownerOf(session.user))
  const known = readStored(localStorage, name, isIds) ?? []
  const fresh = conflicts.filter((one) => one.state === 'settled' && !known.includes(one.id) && [one.mine_by_hmc, one.theirs_by_hmc].includes(hmc))
  if (fresh.length === 0) return
  writeStored(localStorage, name, [...known, ...fresh.map(({ id }) => id)].slice(-MOST))
  for (const { vin_number: vin, chosen, mine_by_hmc, theirs_by_hmc, settled_by_hmc } of fresh) {
    const winner = chosen === 'mine' ? mine_by_hmc : theirs_by_hmc
    toast('info', translate(winner === hmc ? 'conflict.yours' : 'conflict.others', { vin, hmc: winner ?? '?', by: settled_by_hmc ?? '?' }), { ms: OUTCOME_MS })
  }
}

/** Says that a tab with an older version has to be closed. */
export function watchDisk(): void {
  heldElsewhere.subscribe(() => {
    hide?.()
    hide = heldElsewhere.get() ? toast('error', translate('frame.heldElsewhere'), { ms: HELD_MS }) : undefined
  })
}
const HELD_MS = 600_000
let hide: (() => void) | undefined

/** What was settled while this person was not here. */
export async function tellMissed(): Promise<void> {
  const { conflicts } = await queries.fetchQuery({ ...conflictsQuery({ state: 'settled', mine: true }), retry: false }).catch(() => ({ conflicts: [] as Conflict[] }))
  tell(conflicts)
}
