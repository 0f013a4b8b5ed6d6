import { isRecord } from './json'
import { readStoredJson, writeStoredJson } from './storage'

/** Vehicle that a person opened last, stored on this device so that the home screen can link back to the vehicle. */
export interface LastVehicle {
  path: string
  vin: string
  campaign: string
  space: string
}

const nameOf = (user: string) => `resume:${user}`
const isPlace = (value: unknown): value is LastVehicle =>
  isRecord(value) && ['path', 'vin', 'campaign', 'space'].every((name) => typeof value[name] === 'string')

export const readLastVehicle = (user: string): LastVehicle | null => readStoredJson(localStorage, nameOf(user), isPlace)
export const writeLastVehicle = (user: string, place: LastVehicle | null): void => writeStoredJson(localStorage, nameOf(user), place)
