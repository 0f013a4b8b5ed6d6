import { expect, type APIRequestContext } from '@playwright/test'
import { COLUMNS, sheetFile } from './xlsx'

export const LETTERS = [...'JAMBRFYIDZC0SGPETK-QVWLNXUOH']
const MODEL = 'HB20'

export interface Row {
  serial: string
  space: string
}

/** Returns a parking space of a yard as written in real lists: `A-12`, `- 12` or `0-12`. */
const spaceIn = (letter: string, n: number) => (letter === '-' ? `- ${n}` : `${letter}-${n}`)

/** Returns rows that cycle through all 28 yards, with zero-padded serial numbers. The spaces of each yard count from 1. */
export const rowsOver = (count: number): Row[] =>
  Array.from({ length: count }, (_, index) => ({
    serial: String(index + 1).padStart(6, '0'),
    space: spaceIn(LETTERS[index % LETTERS.length] ?? '', Math.floor(index / LETTERS.length) + 1),
  }))

export const identifierOf = ({ serial }: Row, model = MODEL) => `${model} ${serial}`

export function campaignFile(name: string, rows: Row[], model = MODEL) {
  const cells = rows.map(({ serial, space }) => [name, 'Airbag', 'Check the inflator label', 'Hatch', model, serial, space])
  return sheetFile([COLUMNS, ...cells])
}

/** Imports a campaign through the API and returns its id. */
export async function uploaded(request: APIRequestContext, headers: Record<string, string>, name: string, rows: Row[], model = MODEL): Promise<number> {
  const response = await request.post('/api/documents/upload', { headers, multipart: { documents: campaignFile(name, rows, model) }, timeout: 120_000 })
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
export async function campaignOf(request: APIRequestContext, headers: Headers, title: string, rows: Row[]) {
  const mark = `${Date.now().toString(36)}${process.pid % 1000}${made++}`
  const name = `${title} ${mark}`
  const model = `T${mark.toUpperCase()}`
  const id = await uploaded(request, headers, name, rows, model)
  return { id, name, model, vehicles: await vehiclesOf(request, headers, id) }
}

export async function vehiclesOf(request: APIRequestContext, headers: Headers, campaign: number): Promise<Vehicle[]> {
  const response = await request.get(`/api/vehicles/campaign/${campaign}/all`, { headers })
  return (await response.json()) as Vehicle[]
}

export async function vehicleOf(request: APIRequestContext, headers: Headers, id: number): Promise<Record<string, unknown>> {
  const response = await request.get(`/api/vehicles/${id}`, { headers })
  return (await response.json()) as Record<string, unknown>
}

/** Saves a vehicle through the API, as a supervisor. */
export async function saved(request: APIRequestContext, headers: Headers, id: number, change: Record<string, unknown>): Promise<void> {
  const { vin_number, status, parking_space, operator_notes, admin_notes, campaign_id } = await vehicleOf(request, headers, id)
  const response = await request.put(`/api/vehicles/${id}`, { headers, data: { vin_number, status, parking_space, operator_notes, admin_notes, campaign_id, ...change } })
  expect(response.status()).toBe(200)
}

/** Returns rows in one yard, with the parking spaces `K-1`, `K-2` and so on. */
export const rowsIn = (yard: string, count: number, from = 1): Row[] =>
  Array.from({ length: count }, (_, index) => ({ serial: String(from + index).padStart(6, '0'), space: spaceIn(yard, index + 1) }))
