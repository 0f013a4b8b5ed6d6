import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { keep, overlaid, type Work } from '@/api/outbox'
import { Problem } from '@/api/problem'
import { vehicleQuery } from '@/api/queries'
import { currentSession, ownerOf, type User } from '@/api/session'
import type { Vehicle } from '@/api/types'
import { freshDraft, merged, readDraft, rebased, writeDraft, type Draft } from '@/lib/drafts'
import { changeOf, FIELDS, fieldsOf, FREE } from '@/lib/fields'
import { identifies } from '@/lib/identifier'
import { writePlace } from '@/lib/resume'
import { isSupervisor } from '@/lib/roles'
import { link, navigate } from '@/lib/route'
import { uuid } from '@/lib/uuid'
import { toast } from '@/ui/Toast'
import { nextAfter, useCampaignHead, useSaveVehicle } from './api'
import { useScanText } from './text'

export const NEXT_MS = 3100
/** What waiting for the server took beyond this is taken off the time until the next vehicle, but for a last second to read. */
const QUICK_MS = 500
const LAST_MS = 1000
/** Where to go after a save; 'stay' leaves that to who asked. */
export type Onward = 'next' | 'exit' | 'stay'

const conflictIn = (error: unknown): Vehicle | null =>
  error instanceof Problem && error.code === 'STALE_VERSION' ? ((error.details[0] as Vehicle | undefined) ?? null) : null

export interface Conflict {
  /** The vehicle as somebody else has saved it. */
  current: Vehicle
  /** The same with one's own changes. */
  mine: Draft
  onward: Onward
}

/** Told after a save; `kept` says that only this device has it so far. */
export type OnSaved = (saved: Vehicle, kept: boolean) => void

/** One vehicle's inspection: the entry with its draft, the save with its conflicts, and where to go then. */
export function useInspection(vehicle: Vehicle, yard: number | null, user: User, onSaved?: OnSaved) {
  const t = useScanText()
  const queries = useQueryClient()
  const owner = ownerOf(user)
  const supervisor = isSupervisor(user.user_type)
  const [edited, setEdited] = useState(() => readDraft(owner, vehicle.id))
  const [restored, setRestored] = useState(edited !== null)
  const [conflict, setConflict] = useState<Conflict | null>(null)
  const [saved, setSaved] = useState(false)
  const closed = useCampaignHead(vehicle.campaign_id).data?.status === 'Closed'
  const save = useSaveVehicle()
  const keyOf = useSameKey()
  const dismiss = useRef<() => void>(undefined)
  const onwards = useRef<() => void>(undefined)
  useEffect(() => () => dismiss.current?.(), [])
  useEffect(() => writePlace(owner, placeOf(vehicle, yard)), [owner, vehicle, yard])

  const entry = edited === null ? freshDraft(vehicle) : rebased(edited, vehicle)
  const store = (draft: Draft | null) => {
    setEdited(draft)
    writeDraft(owner, vehicle.id, draft)
  }
  const campaign = link(`/campaign/${vehicle.campaign_id}`, { yard })

  const leave = (now: Vehicle, kept: boolean, onward: Onward, waited: number) => {
    const next = now.next ?? null
    const soon = next === null ? null : queries.getQueryData(vehicleQuery(next, yard).queryKey)
    writePlace(owner, soon ? placeOf(soon, yard) : null)
    if (onward === 'stay') return onSaved?.(now, kept)
    if (onward === 'next' && next !== null) {
      const go = () => navigate(link(`/vehicle/${next}`, { yard }))
      dismiss.current = toast('success', t(kept ? 'vehicle.keptNext' : 'vehicle.savedNext'), { ms: Math.max(LAST_MS, NEXT_MS - Math.max(0, waited - QUICK_MS)), action: t('vehicle.goNow'), onEnd: go })
      onwards.current = () => {
        dismiss.current?.()
        go()
      }
    } else {
      toast('success', t(kept ? 'vehicle.keptExit' : 'vehicle.savedExit'))
      navigate(campaign)
    }
  }

  const send = (base: Vehicle, draft: Draft, onward: Onward) => {
    // An entry from before its base was kept, on a vehicle that has changed since: the person says what holds.
    if (draft.base === undefined && draft.version !== base.version) return setConflict({ current: base, mine: merged(draft, base), onward })
    const work = workOf(base, draft, user, yard)
    const begun = performance.now()
    save.mutate({ work, key: keyOf(JSON.stringify([work.change, work.version])) }, {
      onSuccess: (result) => {
        if (currentSession() === null) return // it ended meanwhile: who signs in anew comes back here
        setSaved(true)
        const waited = performance.now() - begun
        if (result.kind === 'saved') leave(result.vehicle, false, onward, waited)
        else leave({ ...overlaid(base, [result.entry]), next: nextAfter(queries, base, yard) }, true, onward, waited)
      },
      onError: (error) => {
        const current = conflictIn(error)
        if (current !== null) setConflict({ current, mine: merged(draft, current), onward })
      },
    })
  }

  return {
    entry, restored, saved, closed, conflict, campaign, supervisor,
    // A supervisor who corrects the identifier stands before the car that has the corrected one.
    identified: identifies(entry.identifier, entry.vin_number),
    busy: save.isPending,
    error: conflictIn(save.error) === null ? save.error : null,
    change: (part: Partial<Draft>) => !saved && !closed && store({ ...entry, ...part }),
    discard: () => {
      setRestored(false)
      store(null)
    },
    /** A new scan skips the wait after a save. */
    goNow: () => onwards.current?.(),
    submit: (onward: Onward) => send(vehicle, entry, onward),
    cancel: () => {
      store(null)
      navigate(campaign)
    },
    keepMine: ({ current, mine, onward }: Conflict) => {
      keep(queries, current, yard)
      store(mine)
      setConflict(null)
      send(current, mine, onward)
    },
    decideLater: () => setConflict(null),
    takeTheirs: ({ current }: Conflict) => {
      keep(queries, current, yard)
      store({ ...freshDraft(current), identifier: entry.identifier, scanned: entry.scanned })
      setConflict(null)
    },
  }
}

export type Inspection = ReturnType<typeof useInspection>

const placeOf = (vehicle: Vehicle, yard: number | null) => ({
  path: link(`/vehicle/${vehicle.id}`, { yard }),
  vin: vehicle.vin_number,
  campaign: vehicle.campaign_name,
  space: vehicle.parking_space,
})

/** What a save changes; what this role may not change is left out. */
function workOf(vehicle: Vehicle, draft: Draft, user: User, yard: number | null): Work {
  const { id, vin_number, parking_space, campaign_id, campaign_name, inspected } = vehicle
  return {
    owner: ownerOf(user), hmc: user.hmc, vehicle: id, vin: vin_number, space: parking_space, campaign: campaign_id, campaign_name, yard, inspected,
    stands_in: vehicle.id_yard ?? null,
    version: draft.version,
    change: changeOf(draft.base ?? fieldsOf(vehicle), draft, isSupervisor(user.user_type) ? FIELDS : FREE),
    origin: draft.scanned === true ? 'scanned' : 'typed',
    replaces: draft.replaces ?? null,
  }
}

/** A key that stays the same while what is saved stays the same. */
function useSameKey() {
  const last = useRef({ content: '', key: '' })
  return (content: string): string => {
    if (last.current.content !== content) last.current = { content, key: uuid() }
    return last.current.key
  }
}
