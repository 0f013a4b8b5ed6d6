import { createStore, useStore } from '@/lib/store'
import { isRecord, readStored, writeStored } from '@/lib/stored'
import { Problem } from './problem'

/** A campaign whose vehicles this device has; `yards` is null when it has all of them. */
export interface Along {
  campaign: number
  yards: number[] | null
}

const NAME = 'along'
const isAlong = (value: unknown): value is Along[] => Array.isArray(value) && value.every((one) => isRecord(one) && typeof one.campaign === 'number')

/** What is taken along, known before the disk has been read: whoever has nothing along need not wait for it. */
export const along = createStore<Along[]>(readStored(localStorage, NAME, isAlong) ?? [])
export const useAlong = (): Along[] => useStore(along)

export function noteAlong(now: Along[]): void {
  writeStored(localStorage, NAME, now)
  along.set(now)
}

export const isWholeAlong = (campaign: number): boolean => along.get().some((one) => one.campaign === campaign && one.yards === null)

/** How long the server may take before what is along answers in its place. */
const PATIENCE_MS = 4000
const LATE = Symbol('late')

/** What the server says or, where it cannot be heard, what this device took along. */
export async function orAlong<T>(call: Promise<T>, kept: (taken: typeof import('./taken')) => Promise<T | null>): Promise<T> {
  if (along.get().length === 0) return await call
  const late = new Promise<typeof LATE>((resolve) => {
    setTimeout(resolve, PATIENCE_MS, LATE)
  })
  try {
    const first = await Promise.race([call, late])
    if (first !== LATE) return first
  } catch (error) {
    if (!(error instanceof Problem) || error.status !== 0) throw error
    const found = await fromDisk(kept)
    if (found === null) throw error
    return found
  }
  call.catch(() => undefined)
  return (await fromDisk(kept)) ?? (await call)
}

async function fromDisk<T>(kept: (taken: typeof import('./taken')) => Promise<T | null>): Promise<T | null> {
  try {
    return await kept(await import('./taken'))
  } catch {
    return null
  }
}
