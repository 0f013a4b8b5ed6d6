import { isRecord, parseJson } from '@/lib/json'
import type { ServerSentEvent } from './serverSentEvents'
import { hasRequiredFields } from './requiredFields'
import type { FieldConflict, ListedVehicle, InspectionPace } from './types'

interface OfCampaign {
  campaign_id: number
}

interface ChangedVehicles extends OfCampaign {
  vehicles: ListedVehicle[]
}

/** A change that the server pushes to open pages. */
export type LiveEvent =
  /** Vehicles of a campaign changed; the event contains their new list rows. */
  | { kind: 'vehicles'; change: ChangedVehicles }
  /** Many vehicles of a campaign changed. The event does not contain their list rows, so the page has to fetch them. */
  | { kind: 'changed'; change: OfCampaign }
  /** The data of a campaign itself changed, such as its name or status, but no data of its vehicles. */
  | { kind: 'campaign'; change: OfCampaign }
  | { kind: 'pace'; change: InspectionPace }
  /** A conflict between two people's saves of a vehicle was found or resolved. */
  | { kind: 'conflict'; change: FieldConflict }

const isOfCampaign = (value: unknown): value is OfCampaign => hasRequiredFields(value, 'campaign_id#')
const isChangedVehicles = (value: unknown): value is ChangedVehicles => isRecord(value) && isOfCampaign(value) && hasRequiredFields(value.vehicles, '*id# vin_number$ version#')
const isPace = (value: unknown): value is InspectionPace => hasRequiredFields(value, 'campaign_id# people*')
const isConflict = (value: unknown): value is FieldConflict => hasRequiredFields(value, 'id# vin_number$ state$')

/** Parses an event of the live stream. Returns null for malformed events and for kinds of events that this app does not know. */
export function parseLiveEvent({ event, data }: ServerSentEvent): LiveEvent | null {
  switch (event) {
    case 'vehicles':
      return eventOf(event, parseJson(data, isChangedVehicles))
    case 'changed':
    case 'campaign':
      return eventOf(event, parseJson(data, isOfCampaign))
    case 'pace':
      return eventOf(event, parseJson(data, isPace))
    case 'conflict':
      return eventOf(event, parseJson(data, isConflict))
    default:
      return null
  }
}

const eventOf = <K extends string, C>(kind: K, change: C | null) => (change === null ? null : { kind, change })
