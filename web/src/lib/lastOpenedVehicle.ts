import { isRecord } from './json'
import { readStoredJson, writeStoredJson } from './storage'

/** Vehicle that a person opened last, stored on this device so that the home screen can link back to the vehicle. */
export interface LastOpenedVehicle {
  path: string
  vin: string
  campaign: string
  space: string
}

const nameOf = (user: string) => `resume:${user}`
const isPlace = (value: unknown): value is LastOpenedVehicle =>
  isRecord(value) && ['path', 'vin', 'campaign', 'space'].every((name) => typeof value[name] === 'string')

export const readLastOpenedVehicle = (user: string): LastOpenedVehicle | null => readStoredJson(localStorage, nameOf(user), isPlace)
export const writeLastOpenedVehicle = (user: string, place: LastOpenedVehicle | null): void => writeStoredJson(localStorage, nameOf(user), place)
