import { conflictsQuery } from '@/api/conflicts'
import { getCurrentSession, getDataOwnerKey } from '@/api/session'
import type { FieldConflict } from '@/api/types'
import { createArrayGuard } from '@/lib/json'
import { navigate } from '@/lib/route'
import { readStoredJson, writeStoredJson } from '@/lib/storage'
import { getCurrentLanguage, fillPlaceholders, translate } from '@/lib/text'
import { databaseProblem } from '@/offline/database'
import { countVehicleMismatches, getMismatchedServerVin, outboxState, type OutboxEntry } from '@/offline/outbox'
import { catalogues } from '@/ui/VehicleMismatchQuestion'
import { showToast } from '@/ui/Toast'
import { queryClient } from './queryClient'

const nameOf = (owner: string) => `outcomes:${owner}`
const MAX_REMEMBERED = 200
const OUTCOME_MS = 8000
const OUTBOX = '/outbox'
const isIds = createArrayGuard((id): id is number => typeof id === 'number')

/** Shows a toast about resolved conflicts in which the signed-in user saved one of the values. Shows each conflict once per device. */
export function showConflictOutcomes(conflicts: FieldConflict[]): void {
  const session = getCurrentSession()
  if (session === null) return
  const { hmc } = session.user
  const name = nameOf(getDataOwnerKey(session.user))
  const known = readStoredJson(localStorage, name, isIds) ?? []
  const fresh = conflicts.filter((one) => one.state === 'settled' && !known.includes(one.id) && [one.mine_by_hmc, one.theirs_by_hmc].includes(hmc))
  if (fresh.length > 0) writeStoredJson(localStorage, name, [...known, ...fresh.map(({ id }) => id)].slice(-MAX_REMEMBERED))
  const [first] = fresh
  // Several conflicts share one toast, because one toast per conflict would cover the page.
  if (fresh.length > 1) showToast('info', translate('conflict.several', { n: fresh.length }), { ms: OUTCOME_MS, action: catalogues[getCurrentLanguage()]['vehicleMismatch.decide'], onTap: () => navigate(OUTBOX) })
  else if (first !== undefined) showToast('info', describeOutcome(first, hmc), { ms: OUTCOME_MS })
}

function describeOutcome({ vin_number: vin, chosen, mine_by_hmc, theirs_by_hmc, settled_by_hmc }: FieldConflict, hmc: string): string {
  const winner = chosen === 'mine' ? mine_by_hmc : theirs_by_hmc
  return translate(winner === hmc ? 'conflict.yours' : 'conflict.others', { vin, hmc: winner ?? '?', by: settled_by_hmc ?? '?' })
}

/**
 * Fetches the user's resolved conflicts and shows a toast about those that this device has not shown yet. For example, a conflict may
 * have been resolved while the device was offline.
 */
export async function showUnseenConflictOutcomes(): Promise<void> {
  const missed = await queryClient.fetchQuery({ ...conflictsQuery({ state: 'settled', mine: true }), retry: false }).catch(() => null)
  showConflictOutcomes(missed?.conflicts ?? [])
}

/**
 * Shows a toast for a save that the server rejected because its vehicle id now belongs to another vehicle. Shows no toast on the outbox
 * page, where a dialog asks what to do with the save.
 */
export function notifyVehicleMismatch(entry: OutboxEntry): void {
  const now = getMismatchedServerVin(entry)
  if (now === null || window.location.pathname === OUTBOX) return
  const texts = catalogues[getCurrentLanguage()]
  const asked = countVehicleMismatches(outboxState.get().entries)
  const words = asked > 1 ? fillPlaceholders(texts['vehicleMismatch.several'], { n: asked }) : fillPlaceholders(texts['vehicleMismatch.text'], { seen: entry.vin, now })
  hideRetained?.() // one toast covers all saves with an open question
  hideRetained = showToast('error', `${texts['vehicleMismatch.title']} ${words}`, { ms: OUTCOME_MS, action: texts['vehicleMismatch.decide'], onTap: () => navigate(OUTBOX) })
}
let hideRetained: (() => void) | undefined

const OBSTACLE_MS = 600_000

/**
 * Shows a toast whenever this tab cannot open its IndexedDB database. The toast asks the user to close another tab or to reload the page.
 */
export function showLocalDatabaseProblems(): void {
  stopWatching?.()
  stopWatching = databaseProblem.subscribe(showObstacle)
  showObstacle() // opening the database at sign-in may already have failed
}
let stopWatching: (() => void) | undefined

function showObstacle(): void {
  hideObstacle?.()
  const obstacle = databaseProblem.get()
  hideObstacle = obstacle === null ? undefined : OBSTACLES[obstacle]()
}
const OBSTACLES = {
  blocked: () => showToast('error', translate('frame.heldElsewhere'), { ms: OBSTACLE_MS }),
  outdated: () => showToast('error', translate('problem.outdated'), { ms: OBSTACLE_MS, action: translate('update.reload'), onTap: () => window.location.reload() }),
}
let hideObstacle: (() => void) | undefined
