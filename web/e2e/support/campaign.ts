import { expect, type APIRequestContext } from '@playwright/test'
import { repeatWhileBusy } from './busy'
import { COLUMNS, createWorkbookFile } from './xlsx'

export const YARD_LETTERS = [...'JAMBRFYIDZC0SGPETK-QVWLNXUOH']
const MODEL = 'HB20'

export interface CampaignRow {
  serial: string
  space: string
}

/** Returns a parking space of a yard as written in real lists: `A-12`, `- 12` or `0-12`. */
const spaceIn = (letter: string, n: number) => (letter === '-' ? `- ${n}` : `${letter}-${n}`)

/** Returns rows that cycle through all 28 yards, with zero-padded serial numbers. The spaces of each yard count from 1. */
export const createRowsInAllYards = (count: number): CampaignRow[] =>
  Array.from({ length: count }, (_, index) => ({
    serial: String(index + 1).padStart(6, '0'),
    space: spaceIn(YARD_LETTERS[index % YARD_LETTERS.length] ?? '', Math.floor(index / YARD_LETTERS.length) + 1),
  }))

export const vinOf = ({ serial }: CampaignRow, model = MODEL) => `${model} ${serial}`

export function createCampaignFile(name: string, rows: CampaignRow[], model = MODEL) {
  const cells = rows.map(({ serial, space }) => [name, 'Airbag', 'Check the inflator label', 'Hatch', model, serial, space])
  return createWorkbookFile([COLUMNS, ...cells])
}

/** Imports a campaign through the API and returns its id. */
export async function importCampaign(request: APIRequestContext, headers: Record<string, string>, name: string, rows: CampaignRow[], model = MODEL): Promise<number> {
  const response = await repeatWhileBusy(() => request.post('/api/documents/upload', { headers, multipart: { documents: createCampaignFile(name, rows, model) }, timeout: 120_000 }))
  expect(response.status()).toBe(201)
  const { campaign } = (await response.json()) as { campaign: { id: number } }
  return campaign.id
}

export interface Vehicle {
  id: number
  vin_number: string
  parking_space: string
  status: string
  inspected: boolean
  version: number
}

type Headers = Record<string, string>
let made = 0

/** Imports a campaign with VINs that no other campaign has. Returns it with its vehicles in walking order. */
export async function importUniqueCampaign(request: APIRequestContext, headers: Headers, title: string, rows: CampaignRow[]) {
  const mark = `${Date.now().toString(36)}${process.pid % 1000}${made++}`
  const name = `${title} ${mark}`
  const model = `T${mark.toUpperCase()}`
  const id = await importCampaign(request, headers, name, rows, model)
  return { id, name, model, vehicles: await fetchVehicles(request, headers, id) }
}

const getJson = async (request: APIRequestContext, path: string, headers: Headers): Promise<unknown> =>
  (await repeatWhileBusy(() => request.get(path, { headers }))).json()

export const fetchVehicles = async (request: APIRequestContext, headers: Headers, campaign: number) =>
  (await getJson(request, `/api/vehicles/campaign/${campaign}/all`, headers)) as Vehicle[]

export const fetchVehicle = async (request: APIRequestContext, headers: Headers, id: number) =>
  (await getJson(request, `/api/vehicles/${id}`, headers)) as Record<string, unknown>

/** Saves a vehicle through the API, as a supervisor. */
export async function saveVehicle(request: APIRequestContext, headers: Headers, id: number, change: Record<string, unknown>): Promise<void> {
  const { vin_number, status, parking_space, operator_notes, admin_notes, campaign_id } = await fetchVehicle(request, headers, id)
  const response = await repeatWhileBusy(() => request.put(`/api/vehicles/${id}`, { headers, data: { vin_number, status, parking_space, operator_notes, admin_notes, campaign_id, ...change } }))
  expect(response.status()).toBe(200)
}

/** Returns rows in one yard, with the parking spaces `K-1`, `K-2` and so on. */
export const createRowsInYard = (yard: string, count: number, from = 1): CampaignRow[] =>
  Array.from({ length: count }, (_, index) => ({ serial: String(from + index).padStart(6, '0'), space: spaceIn(yard, index + 1) }))
