import { isRecord } from '@/lib/json'
import { readStoredJson, writeStoredJson } from '@/lib/storage'

/** Id and label of a camera of this device. */
export interface CameraLens {
  id: string
  label: string
}

const STORED = 'camera'
const FRONT = /front|user|selfie|avant|vorder|delantera/i
const REAR = /back|rear|environment|tras|rück|arrière|posterior/i
/** Labels of lenses that read codes worse than the main lens, such as wide-angle or macro lenses. */
const SPECIAL = /ultra|wide|grande|tele|macro|depth|infra|mono/i
const COMBINED = /dual|triple|dupla|tripla/i
const SPECIAL_RANK = 100

const isLens = (value: unknown): value is CameraLens => isRecord(value) && typeof value.id === 'string' && typeof value.label === 'string'

/**
 * Returns the camera stored on this device: chosen by the person, or selected automatically at an earlier start. `null` if no camera is
 * stored.
 */
export const readStoredLens = (): CameraLens | null => readStoredJson(localStorage, STORED, isLens)
export const storeLens = (lens: CameraLens | null): void => writeStoredJson(localStorage, STORED, lens)

/** Returns the rank of a camera; the lowest rank is the best. Phones number the main lens lowest, as in 'camera2 0, facing back'. */
export function rankLens({ label }: CameraLens): number {
  const number = Number(/camera2?\s+(\d+)/i.exec(label)?.[1] ?? 0)
  return number + (SPECIAL.test(label) && !COMBINED.test(label) ? SPECIAL_RANK : 0)
}

/** Returns the rear cameras, best first. Without usable labels, returns all cameras that are not front cameras. */
export function selectRearLenses(devices: readonly MediaDeviceInfo[]): CameraLens[] {
  const lenses = devices.filter(({ kind, deviceId }) => kind === 'videoinput' && deviceId !== '').map(({ deviceId, label }) => ({ id: deviceId, label }))
  const away = lenses.filter(({ label }) => !FRONT.test(label))
  const rear = away.filter(({ label }) => REAR.test(label))
  return (rear.length > 0 ? rear : away).toSorted((a, b) => rankLens(a) - rankLens(b))
}

/**
 * Returns the rear cameras of this device. Returns an empty list before camera access is granted, because browsers hide the labels of
 * cameras until then.
 */
export async function listLenses(): Promise<CameraLens[]> {
  const devices: Partial<MediaDevices> | undefined = navigator.mediaDevices
  const known = await devices?.enumerateDevices?.().catch(() => [])
  return selectRearLenses(known ?? []).filter(({ label }) => label !== '')
}

/** Returns the cameras in cyclic order, starting with the given camera; an empty list when that camera is not among them. */
export function listLensesInCyclicOrderFrom(lenses: readonly CameraLens[], { id, label }: CameraLens): CameraLens[] {
  const byId = lenses.findIndex((lens) => lens.id === id)
  const start = byId >= 0 ? byId : lenses.findIndex((lens) => lens.label === label) // some browsers change the ids, so the label is the fallback
  return start < 0 ? [] : [...lenses.slice(start), ...lenses.slice(0, start)]
}

/** Returns the cameras that rank better than the camera of an open video track; an empty list when the track's camera is unknown. */
export function listLensesRankedAbove(lenses: readonly CameraLens[], track: MediaStreamTrack | undefined): CameraLens[] {
  const current = track && lenses.find(({ id }) => id === track.getSettings().deviceId)
  return current === undefined ? [] : lenses.filter((lens) => rankLens(lens) < rankLens(current))
}
