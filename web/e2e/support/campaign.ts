import { expect, type APIRequestContext } from '@playwright/test'
import { workbook } from './xlsx'

export const LETTERS = [...'JAMBRFYIDZC0SGPETK-QVWLNXUOH']
const HEADER = ['Campaign', 'Part', 'Description', 'Model Type', 'Model Code', 'Serial Number', 'Parking Space']
const MODEL = 'HB20'

export interface Row {
  serial: string
  space: string
}

/** A parking space of a yard as real lists write them: `A-12`, `- 12`, `0-12`. */
const spaceIn = (letter: string, n: number) => (letter === '-' ? `- ${n}` : `${letter}-${n}`)

/** Rows over all 28 yards in turn, the serials with leading zeros, each yard's spaces counted from 1. */
export const rowsOver = (count: number): Row[] =>
  Array.from({ length: count }, (_, index) => ({
    serial: String(index + 1).padStart(6, '0'),
    space: spaceIn(LETTERS[index % LETTERS.length] ?? '', Math.floor(index / LETTERS.length) + 1),
  }))

export const identifierOf = ({ serial }: Row, model = MODEL) => `${model} ${serial}`

export function campaignFile(name: string, rows: Row[], model = MODEL) {
  const cells = rows.map(({ serial, space }) => [name, 'Airbag', 'Check the inflator label', 'Hatch', model, serial, space])
  return {
    name: 'campaign.xlsx',
    mimeType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    buffer: workbook([HEADER, ...cells]),
  }
}

/** Imports a campaign beside the screen and returns its id. */
export async function uploaded(request: APIRequestContext, headers: Record<string, string>, name: string, rows: Row[], model = MODEL): Promise<number> {
  const response = await request.post('/api/documents/upload', { headers, multipart: { documents: campaignFile(name, rows, model) } })
  expect(response.status()).toBe(201)
  const { campaign } = (await response.json()) as { campaign: { id: number } }
  return campaign.id
}
