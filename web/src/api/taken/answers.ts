import { box } from '../outbox/box'
import { overlaidList } from '../outbox/entry'
import type { CampaignSearch } from '../queries'
import type { Campaign, CampaignPage, ListedVehicle, Vehicle, Yard, YardCount } from '../types'
import { PER_PAGE } from '@/lib/pages'
import { aheadOf } from '@/lib/walk'
import { readLists, rowsOf, takenOf, type Taken } from './store'

/** A vehicle of which only the row of a list is known, and neither its notes nor who changed it. */
export type PartlyKnown = Vehicle & { partly?: true }

const inYard = (rows: readonly ListedVehicle[], yard: number | null) => (yard === null ? rows : rows.filter(({ id_yard }) => id_yard === yard))
const inspectedIn = (rows: readonly ListedVehicle[]) => rows.filter(({ inspected }) => inspected).length
const asSaved = (rows: ListedVehicle[]) => overlaidList(rows, box.get().pending)

async function campaignFrom(taken: Taken, yard: number | null): Promise<Campaign> {
  const rows = (await rowsOf(taken.campaign)) ?? []
  const next = aheadOf(asSaved(rows), yard, null).next?.id ?? null
  // Of a campaign of which only some yards are along the whole count is known as it was then.
  if (yard === null && taken.yards !== null) return { ...taken.head, next }
  const [here, name] = [inYard(rows, yard), yard === null ? taken.head.yard_name : (rows.find(({ id_yard }) => id_yard === yard)?.yard_group ?? null)]
  const done = inspectedIn(here)
  return { ...taken.head, next, yard_name: name, total_vehicles: here.length, total_inspected: done, allClosed: here.length > 0 && done === here.length }
}

export async function campaign(id: number, yard: number | null): Promise<Campaign | null> {
  const taken = await takenOf(id)
  return taken === undefined ? null : await campaignFrom(taken, yard)
}

export async function campaigns({ page, search = '', status, yard }: CampaignSearch): Promise<CampaignPage | null> {
  const all = await Promise.all((await readLists()).map((taken) => campaignFrom(taken, yard ?? null)))
  const open = (one: Campaign) => (status === undefined || status === 'all' ? true : status === 'ongoing' ? one.status !== 'Closed' : status === 'closed' ? one.status === 'Closed' : one.status === status)
  const found = all.filter((one) => open(one) && one.name.toLowerCase().includes(search.trim().toLowerCase()) && (yard === undefined || one.total_vehicles > 0))
  const ordered = found.toSorted((a, b) => b.id - a.id)
  return {
    campaigns: ordered.slice(page * PER_PAGE, (page + 1) * PER_PAGE),
    meta: { page_index: page, total_count: found.length, per_page: PER_PAGE, yard_name: found[0]?.yard_name ?? null },
  }
}

export const allCampaigns = async (): Promise<Campaign[] | null> => await Promise.all((await readLists()).map((taken) => campaignFrom(taken, null)))

function countsIn(rows: readonly ListedVehicle[]): YardCount[] {
  const yards = new Map<number, YardCount>()
  for (const { id_yard, yard_group, inspected } of rows) {
    const id = id_yard ?? 0
    const count = yards.get(id) ?? { yard_id: id, yard_name: yard_group, total_vehicles: 0, inspected_vehicles: 0 }
    count.total_vehicles++
    if (inspected) count.inspected_vehicles++
    yards.set(id, count)
  }
  return [...yards.values()]
}

export async function yardCounts(name: string): Promise<YardCount[] | null> {
  const taken = (await readLists()).find(({ head }) => head.name === name)
  return taken === undefined ? null : countsIn((await rowsOf(taken.campaign)) ?? [])
}

export async function allYards(): Promise<Yard[] | null> {
  const every = await Promise.all((await readLists()).map(({ campaign: id }) => rowsOf(id)))
  return countsIn(every.flatMap((rows) => rows ?? [])).map(({ yard_id, yard_name, total_vehicles, inspected_vehicles }) =>
    ({ id: yard_id, name: yard_name, vehicles_count: total_vehicles, vehicles_inspected_count: inspected_vehicles }))
}

export async function vehicle(id: number, yard: number | null): Promise<PartlyKnown | null> {
  for (const taken of await readLists()) {
    const rows = (await rowsOf(taken.campaign)) ?? []
    const row = rows.find((one) => one.id === id)
    if (row !== undefined) return { ...fromRow(row, taken.head), next: aheadOf(asSaved(rows), yard, id).next?.id ?? null }
  }
  return null
}

function fromRow(row: ListedVehicle, { id, name }: Campaign): PartlyKnown {
  const [model_code = '', serial_number = ''] = row.vin_number.split(' ')
  return {
    ...row, model_code, serial_number, campaign_id: id, campaign_name: name, operator_notes: '', admin_notes: '',
    modified_by: null, modified_by_hmc: null, modified_at: null, next: null, open_conflicts: 0, partly: true,
  }
}

/** The list of a campaign, as much of it as is along. */
export const wholeList = rowsOf
