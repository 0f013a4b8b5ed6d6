import { isRecord, readStored, writeStored } from './stored'

/** Where a person left off: the vehicle that was open last. */
export interface Place {
  path: string
  vin: string
  campaign: string
  space: string
}

const nameOf = (user: string) => `resume:${user}`
const isPlace = (value: unknown): value is Place =>
  isRecord(value) && ['path', 'vin', 'campaign', 'space'].every((name) => typeof value[name] === 'string')

export const readPlace = (user: string): Place | null => readStored(localStorage, nameOf(user), isPlace)
export const writePlace = (user: string, place: Place | null): void => writeStored(localStorage, nameOf(user), place)
