import { createStore } from '@/lib/store'
import { isRecord, readStored, writeStored } from '@/lib/stored'

/** How many saves this device holds, for who is signed in and for others; known before the disk has been read. */
export interface Held {
  owner: string | null
  open: number
  refused: number
  others: number
}

const NAME = 'held'
const isHeld = (value: unknown): value is Held =>
  isRecord(value) && ['open', 'refused', 'others'].every((name) => typeof value[name] === 'number')

export const held = createStore<Held>(readStored(localStorage, NAME, isHeld) ?? { owner: null, open: 0, refused: 0, others: 0 })

export function noteHeld(now: Held): void {
  writeStored(localStorage, NAME, now)
  held.set(now)
}
