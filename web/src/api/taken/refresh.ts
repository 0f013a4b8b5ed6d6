import { CAMPAIGN } from '../shape'
import type { QueryClient } from '@tanstack/react-query'
import { answer, http } from '../client'
import { along } from '../along'
import { Problem } from '../problem'
import { wholeListKey } from '../queries'
import { currentOwner, currentSession } from '../session'
import type { Campaign, ListedVehicle } from '../types'
import { mayManage } from '@/lib/roles'
import { hasStrangers } from './rows'
import { readLists, removeList, rowsOf, takenOf, writeList, writeNewer, type Taken } from './store'

const REVISION = 'x-revision'

/** Fetches a campaign's list, or one yard of it beside those that are along already, and keeps it. */
export async function take(head: Campaign, yard: number | null): Promise<void> {
  const known = await takenOf(head.id)
  const yards = yard === null || known?.yards === null ? null : [...new Set([...(known?.yards ?? []), yard])]
  await fetched(head, yards, known?.taken_at ?? Date.now())
}

const seesDash = (): boolean => mayManage(currentSession()?.user.user_type ?? '')

/** Fetches the list; with the tag it came with before, only if it is another one now. */
async function fetched(head: Campaign, yards: number[] | null, taken_at: number, tag: string | null = null): Promise<ListedVehicle[] | null> {
  const header = tag === null ? {} : { 'If-None-Match': tag }
  const outcome = await http.GET('/vehicles/campaign/{id}/all', { params: { path: { id: head.id }, header } })
  if (outcome.response.status === 304) return await writeNewer(head.id, [], { head, fresh_at: Date.now() })
  const whole = await answer(Promise.resolve(outcome), '*id# vin_number$')
  const { headers } = outcome.response
  const rows = yards === null ? whole : whole.filter(({ id_yard }) => yards.includes(id_yard ?? 0))
  const told = headers.get(REVISION)
  const revision = told === null ? null : Number(told)
  await writeList({ campaign: head.id, owner: currentOwner() ?? '', yards, head, revision, dash: seesDash(), tag: headers.get('etag'), taken_at, fresh_at: Date.now() }, rows)
  return rows
}

/** Brings a list up to date: what changed since is asked for, and only if that is too much the whole list. */
export async function refresh(queries: QueryClient, campaign: number): Promise<ListedVehicle[] | null> {
  const taken = await takenOf(campaign)
  if (taken === undefined) return null
  try {
    const head = await answer(http.GET('/campaigns/{id}', { params: { path: { id: campaign }, query: {} } }), CAMPAIGN)
    const lacksDash = taken.dash !== true && seesDash()
    const rows = (lacksDash ? await fetched(head, taken.yards, taken.taken_at) : taken.revision === null ? await fetched(head, taken.yards, taken.taken_at, taken.tag) : await byChanges(taken, head, taken.revision)) ?? []
    if (taken.yards === null) queries.setQueryData(wholeListKey(campaign), rows)
    return rows
  } catch (error) {
    if (error instanceof Problem && error.status === 404) await removeList(campaign)
    throw error
  }
}

async function byChanges({ campaign, yards, taken_at }: Taken, head: Campaign, since: number): Promise<ListedVehicle[] | null> {
  const { revision, vehicles, removed, whole } = await answer(http.GET('/vehicles/campaign/{id}/changes', { params: { path: { id: campaign }, query: { since } } }), 'revision# vehicles* removed*')
  const mine = yards === null ? vehicles : vehicles.filter(({ id_yard }) => yards.includes(id_yard ?? 0))
  if (whole || removed.length > 0 || hasStrangers((await rowsOf(campaign)) ?? [], mine)) return await fetched(head, yards, taken_at)
  // Of a vehicle that left its yard the last word is kept too, and what stands elsewhere is none of this list.
  const known = new Set(((await rowsOf(campaign)) ?? []).map(({ id }) => id))
  return await writeNewer(campaign, vehicles.filter(({ id }) => known.has(id)), { revision, head, fresh_at: Date.now() })
}

const EVERY_MS = 5 * 60_000
let keeping = false

/** Keeps the lists as the server has them while somebody is here and there is a signal. */
export function keepFresh(queries: QueryClient): void {
  const now = () => {
    if (document.visibilityState === 'visible' && currentSession() !== null) void refreshAll(queries)
  }
  void remember(queries).then(now)
  if (keeping) return
  keeping = true
  setInterval(now, EVERY_MS)
  window.addEventListener('online', now)
}

/** After a browser was killed the disk may know of lists that the hint has forgotten: then screens look again. */
async function remember(queries: QueryClient): Promise<void> {
  const known = along.get().length
  if ((await readLists()).length > known) await queries.invalidateQueries()
}

/** Brings every list up to date, one after the other; one that fails is left as it is. */
export async function refreshAll(queries: QueryClient): Promise<void> {
  for (const { campaign } of await readLists()) await refresh(queries, campaign).catch(() => undefined)
}
