import { apiClient, unwrapEmptyResponse } from '@/api/client'
import { serverReachability } from '@/api/connectivity'
import { getCurrentSession, getDataOwnerKey } from '@/api/session'
import { getDeviceId } from './deviceId'
import { getUndoMsLeft, type PendingSave } from './pendingSave'
import { selectOutboxOfCurrentUser, outboxState } from './store'

const DELAY_MS = 2000
/**
 * Time in milliseconds after which the same pending saves are reported again. A device that reports nothing for 15 minutes is shown to team
 * leaders as silent.
 */
export const REPEAT_MS = 5 * 60_000
const nameOf = (owner: string) => `reported:${owner}`

interface Pending {
  campaign_id: number
  saves: number
  oldest_at: string
}

/** Counts, for each campaign, the saves that the server does not have yet. */
export function buildPendingSavesReport(entries: readonly PendingSave[]): Pending[] {
  const pending = new Map<number, Pending>()
  for (const { campaign, state, device_time } of entries) {
    if (state === 'done') continue
    const known = pending.get(campaign)
    if (known === undefined) pending.set(campaign, { campaign_id: campaign, saves: 1, oldest_at: device_time })
    else known.saves++
  }
  return [...pending.values()]
}

let timer: ReturnType<typeof setTimeout> | undefined
let reportedAt = -Infinity

/**
 * Reports the signed-in person's pending saves on this device to the server, when they have changed and every five minutes. The server
 * uses the reports to warn a person who closes a campaign while saves are pending, and to list silent devices.
 */
export function reportPendingSaves(): void {
  reportAfter(DELAY_MS)
}

function reportAfter(ms: number): void {
  clearTimeout(timer)
  timer = setTimeout(() => void report().catch(() => undefined), ms)
}

/** Sends the report if the pending saves have changed since the last report, or if the last report is older than `REPEAT_MS`. */
export async function report(): Promise<void> {
  const session = getCurrentSession()
  const { entries, canStore } = selectOutboxOfCurrentUser(outboxState.get())
  if (session === null || canStore !== true || !serverReachability.get()) return
  const [owner, at] = [getDataOwnerKey(session.user), Date.now()]
  const held = buildPendingSavesReport(entries.filter((entry) => entry.owner === owner && getUndoMsLeft(entry, at) === 0))
  const [now, before] = [JSON.stringify(held), localStorage.getItem(nameOf(owner)) ?? '[]']
  const msUntilRepeat = Math.max(0, reportedAt + REPEAT_MS - at)
  if (held.length > 0) reportAfter(now === before && msUntilRepeat > 0 ? msUntilRepeat : REPEAT_MS)
  if (now === before && (held.length === 0 || msUntilRepeat > 0)) return
  await unwrapEmptyResponse(apiClient.PUT('/devices/{device}/held', { params: { path: { device: getDeviceId() } }, body: { held } }))
  localStorage.setItem(nameOf(owner), now)
  reportedAt = at
}
