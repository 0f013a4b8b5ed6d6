import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { Problem } from '@/api/problem'
import { vehicleQuery } from '@/api/queries'
import { ownerOf, type User } from '@/api/session'
import type { Vehicle, VehicleInput } from '@/api/types'
import { readDraft, writeDraft, type Draft } from '@/lib/drafts'
import { identifies } from '@/lib/identifier'
import { writePlace } from '@/lib/resume'
import { isSupervisor } from '@/lib/roles'
import { link, navigate } from '@/lib/route'
import { statusIn } from '@/lib/status'
import { useText } from '@/lib/text'
import { uuid } from '@/lib/uuid'
import { toast } from '@/ui/Toast'
import { keep, useSaveVehicle } from './api'

export const NEXT_MS = 3100
/** Where to go after a save; 'stay' leaves that to who asked. */
export type Onward = 'next' | 'exit' | 'stay'

const freshEntry = (vehicle: Vehicle): Draft => ({
  identifier: '',
  status: vehicle.status,
  operator_notes: vehicle.operator_notes,
  admin_notes: vehicle.admin_notes,
  vin_number: vehicle.vin_number,
  parking_space: vehicle.parking_space,
  version: vehicle.version,
})

const FIELDS = ['status', 'operator_notes', 'admin_notes', 'vin_number', 'parking_space'] as const

/** One's own changes to `base` put onto what somebody else has saved meanwhile. */
export function merged(base: Vehicle, entry: Draft, current: Vehicle): Draft {
  const draft = { ...freshEntry(current), identifier: entry.identifier, scanned: entry.scanned }
  const known = base.version === entry.version
  for (const field of FIELDS) if (!known || entry[field] !== base[field]) draft[field] = entry[field]
  return draft
}

/** What goes to the server; what this role may not change goes as it is stored. */
function inputOf(vehicle: Vehicle, entry: Draft, supervisor: boolean): VehicleInput {
  const { operator_notes } = entry
  const status = statusIn(entry.status)
  const { vin_number, parking_space, admin_notes } = supervisor ? entry : vehicle
  return { vin_number, status, parking_space, operator_notes, admin_notes, campaign_id: vehicle.campaign_id, origin: entry.scanned === true ? 'scanned' : 'typed' }
}

const conflictIn = (error: unknown): Vehicle | null =>
  error instanceof Problem && error.code === 'STALE_VERSION' ? ((error.details[0] as Vehicle | undefined) ?? null) : null

export interface Conflict {
  /** The vehicle as somebody else has saved it. */
  current: Vehicle
  /** The same with one's own changes. */
  mine: Draft
  onward: Onward
}

/** One vehicle's inspection: the entry with its draft, the save with its conflicts, and where to go then. */
export function useInspection(vehicle: Vehicle, yard: number | null, user: User, onSaved?: (saved: Vehicle) => void) {
  const t = useText()
  const queries = useQueryClient()
  const owner = ownerOf(user)
  const supervisor = isSupervisor(user.user_type)
  const [edited, setEdited] = useState(() => readDraft(owner, vehicle.id))
  const [restored, setRestored] = useState(edited !== null)
  const [conflict, setConflict] = useState<Conflict | null>(null)
  const [saved, setSaved] = useState(false)
  const save = useSaveVehicle()
  const keyOf = useSameKey()
  const dismiss = useRef<() => void>(undefined)
  const onwards = useRef<() => void>(undefined)
  useEffect(() => () => dismiss.current?.(), [])
  useEffect(() => writePlace(owner, placeOf(vehicle, yard)), [owner, vehicle, yard])

  const entry = edited ?? freshEntry(vehicle)
  const store = (draft: Draft | null) => {
    setEdited(draft)
    writeDraft(owner, vehicle.id, draft)
  }
  const campaign = link(`/campaign/${vehicle.campaign_id}`, { yard })

  const leave = (now: Vehicle, onward: Onward) => {
    const next = now.next ?? null
    const soon = next === null ? null : queries.getQueryData(vehicleQuery(next, yard).queryKey)
    writePlace(owner, soon ? placeOf(soon, yard) : null)
    if (onward === 'stay') return onSaved?.(now)
    if (onward === 'next' && next !== null) {
      const go = () => navigate(link(`/vehicle/${next}`, { yard }))
      dismiss.current = toast('success', t('vehicle.savedNext'), { ms: NEXT_MS, action: t('vehicle.goNow'), onEnd: go })
      onwards.current = () => {
        dismiss.current?.()
        go()
      }
    } else {
      toast('success', t('vehicle.savedExit'))
      navigate(campaign)
    }
  }

  const send = (base: Vehicle, draft: Draft, onward: Onward) => {
    const input = inputOf(base, draft, supervisor)
    const key = keyOf(JSON.stringify([input, draft.version]))
    save.mutate({ id: vehicle.id, yard, version: draft.version, key, input }, {
      onSuccess: (now) => {
        writeDraft(owner, vehicle.id, null)
        setSaved(true)
        leave(now, onward)
      },
      onError: (error) => {
        const current = conflictIn(error)
        if (current !== null) setConflict({ current, mine: merged(base, draft, current), onward })
      },
    })
  }

  return {
    entry, restored, saved, conflict, campaign, supervisor,
    identified: identifies(entry.identifier, vehicle.vin_number),
    busy: save.isPending,
    error: conflictIn(save.error) === null ? save.error : null,
    change: (part: Partial<Draft>) => !saved && store({ ...entry, ...part }),
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
      store({ ...freshEntry(current), identifier: entry.identifier, scanned: entry.scanned })
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

/** A key that stays the same while what is saved stays the same. */
function useSameKey() {
  const last = useRef({ content: '', key: '' })
  return (content: string): string => {
    if (last.current.content !== content) last.current = { content, key: uuid() }
    return last.current.key
  }
}
