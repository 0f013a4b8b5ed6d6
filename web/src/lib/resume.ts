import { isRecord } from './json'
import { readStored, writeStored } from './storage'

/** Vehicle that a person opened last, stored on this device so that the home screen can link back to the vehicle. */
export interface ResumePlace {
  path: string
  vin: string
  campaign: string
  space: string
}

const nameOf = (user: string) => `resume:${user}`
const isPlace = (value: unknown): value is ResumePlace =>
  isRecord(value) && ['path', 'vin', 'campaign', 'space'].every((name) => typeof value[name] === 'string')

export const readResumePlace = (user: string): ResumePlace | null => readStored(localStorage, nameOf(user), isPlace)
export const writeResumePlace = (user: string, place: ResumePlace | null): void => writeStored(localStorage, nameOf(user), place)
