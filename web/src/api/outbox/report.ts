import { done, http } from '../client'
import { currentSession, ownerOf } from '../session'
import { signal } from '../signal'
import { box } from './box'
import { deviceId } from './device'
import type { Entry } from './entry'

const REST_MS = 2000
const nameOf = (owner: string) => `told:${owner}`

interface Held {
  campaign_id: number
  saves: number
  oldest_at: string
}

/** What this device holds of one person, by campaign. */
export function heldOf(entries: readonly Entry[]): Held[] {
  const held = new Map<number, Held>()
  for (const { campaign, state, device_time } of entries) {
    if (state === 'done') continue
    const known = held.get(campaign)
    if (known === undefined) held.set(campaign, { campaign_id: campaign, saves: 1, oldest_at: device_time })
    else known.saves++
  }
  return [...held.values()]
}

let timer: ReturnType<typeof setTimeout> | undefined

/** Tells the server what waits here, when that changed and it can be told; closing a campaign warns of it. */
export function reportHeld(): void {
  clearTimeout(timer)
  timer = setTimeout(() => void report().catch(() => undefined), REST_MS)
}

async function report(): Promise<void> {
  const session = currentSession()
  const { entries, works } = box.get()
  if (session === null || works !== true || !signal.get()) return
  const owner = ownerOf(session.user)
  const held = heldOf(entries.filter((entry) => entry.owner === owner))
  const [now, before] = [JSON.stringify(held), localStorage.getItem(nameOf(owner)) ?? '[]']
  if (now === before) return
  await done(http.PUT('/devices/{device}/held', { params: { path: { device: deviceId() } }, body: { held } }))
  localStorage.setItem(nameOf(owner), now)
}
