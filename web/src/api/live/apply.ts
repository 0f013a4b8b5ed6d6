import type { QueryClient } from '@tanstack/react-query'
import { along } from '../along'
import type { ServerEvent } from '../events'
import { refreshCountsSoon } from '../outbox/cache'
import { wholeListKey } from '../queries'
import { patched } from '../taken/rows'
import { refresh } from '../taken/refresh'
import { writeNewer } from '../taken/store'
import type { Conflict, ListedVehicle, Pace, Vehicle } from '../types'

interface Told {
  vehicles: { campaign_id: number; vehicles: ListedVehicle[] }
  changed: { campaign_id: number }
  campaign: { campaign_id: number }
  pace: Pace
  conflict: Conflict
}

/** Hears of a conflict that was made or settled. */
export type OnConflict = (conflict: Conflict) => void

const isAlong = (id: number) => along.get().some(({ campaign }) => campaign === id)

/** Puts what others did where screens look for it. */
export function apply(queries: QueryClient, { event, data }: ServerEvent, onConflict: OnConflict): void {
  const told: unknown = JSON.parse(data)
  switch (event) {
    case 'vehicles':
      return vehiclesChanged(queries, told as Told['vehicles'])
    case 'changed':
      return manyChanged(queries, (told as Told['changed']).campaign_id)
    case 'campaign':
      void queries.invalidateQueries({ queryKey: wholeListKey((told as Told['campaign']).campaign_id) })
      return refreshCountsSoon(queries)
    case 'pace':
      return paceChanged(queries, told as Pace)
    case 'conflict':
      void queries.invalidateQueries({ queryKey: ['conflicts'] })
      return onConflict(told as Conflict)
  }
}

function vehiclesChanged(queries: QueryClient, { campaign_id, vehicles }: Told['vehicles']): void {
  queries.setQueryData(wholeListKey(campaign_id), (list?: ListedVehicle[]) => list && patched(list, vehicles))
  const fresh = new Map(vehicles.map((row) => [row.id, row.version]))
  // A row has no notes: who looks at the vehicle gets all of it anew.
  void queries.invalidateQueries({ queryKey: ['vehicles', 'one'], predicate: ({ queryKey, state }) => {
    const known = state.data as Vehicle | undefined
    return known !== undefined && (fresh.get(Number(queryKey[2])) ?? 0) > known.version
  } })
  if (isAlong(campaign_id)) void writeNewer(campaign_id, vehicles, {}).catch(() => undefined)
  refreshCountsSoon(queries)
}

function paceChanged(queries: QueryClient, pace: Pace): void {
  queries.setQueryData(['pace', pace.campaign_id], pace)
  const shown = { queryKey: ['paces'], predicate: ({ queryKey }: { queryKey: readonly unknown[] }) => (queryKey[1] as number[]).includes(pace.campaign_id) }
  queries.setQueriesData<Pace[]>(shown, (paces) => paces && [...paces.filter(({ campaign_id }) => campaign_id !== pace.campaign_id), pace])
}

function manyChanged(queries: QueryClient, campaign: number): void {
  if (isAlong(campaign)) void refresh(queries, campaign).catch(() => undefined)
  else void queries.invalidateQueries({ queryKey: wholeListKey(campaign) })
  void queries.invalidateQueries({ queryKey: ['vehicles', 'one'] })
  refreshCountsSoon(queries)
}

/** After a time without events everything on screen is asked for again, and the lists for what changed. */
export function catchUp(queries: QueryClient): void {
  void queries.invalidateQueries()
  for (const { campaign } of along.get()) void refresh(queries, campaign).catch(() => undefined)
}
