import type { ListedVehicle } from '@/api/types'

/** Smallest number of vehicles that count as missing side by side: fewer are missing by chance. */
const MIN_RUN = 4

/** Vehicles in neighbouring parking spaces that were not found, perhaps because their row was moved. */
export interface MissingRun {
  yard: number | null
  /** First and last parking space of the run. */
  first: string
  last: string
  vehicles: number
}

const numberOf = (space: string): number => Number(/(\d+)\D*$/.exec(space)?.[1] ?? NaN)

/** Whether a parking space directly follows another one of the same yard, or is the same one. */
const isNeighbour = (before: ListedVehicle, after: ListedVehicle): boolean => {
  const step = numberOf(after.parking_space) - numberOf(before.parking_space)
  return before.id_yard === after.id_yard && (step === 0 || step === 1)
}

/** Returns the runs of vehicles in neighbouring spaces with the status Not Found, longest first. The vehicles come in walking order. */
export function findMissingRuns(vehicles: readonly ListedVehicle[]): MissingRun[] {
  const runs: MissingRun[] = []
  let run: ListedVehicle[] = []
  const finish = () => {
    const [first, last] = [run[0], run.at(-1)]
    if (first && last && run.length >= MIN_RUN) runs.push({ yard: first.id_yard ?? null, first: first.parking_space, last: last.parking_space, vehicles: run.length })
    run = []
  }
  for (const vehicle of vehicles) {
    const before = run.at(-1)
    if (before && (vehicle.status !== 'Not Found' || !isNeighbour(before, vehicle))) finish()
    if (vehicle.status === 'Not Found') run.push(vehicle)
  }
  finish()
  return runs.toSorted((a, b) => b.vehicles - a.vehicles)
}

/** Positions of bays in rows of equal length, in pixels. */
export interface BayGrid {
  columns: number
  rows: number
  /** Returns the position of a bay's upper left corner. */
  at: (index: number) => { x: number; y: number }
  /** Returns the index of the bay at a position, or -1 outside all bays. */
  find: (x: number, y: number) => number
}

/** Side of a bay and the distance between the corners of two bays, in pixels. */
export const BAY = 18
const PITCH = 21
/** Room for the name of the first space of each row. */
export const LABEL = 64
/** Rows have a multiple of this number of bays, so that the names of their first spaces are easy to read. */
const ROUND = 5

/** Arranges bays in rows that fit into a width. */
export function arrangeBays(count: number, width: number): BayGrid {
  const fitting = Math.floor((width - LABEL) / PITCH)
  const columns = Math.max(ROUND, fitting - (fitting % ROUND))
  const at = (index: number) => ({ x: LABEL + (index % columns) * PITCH, y: Math.floor(index / columns) * PITCH })
  const find = (x: number, y: number) => {
    const column = Math.floor((x - LABEL) / PITCH)
    const index = Math.floor(y / PITCH) * columns + column
    return column < 0 || column >= columns || y < 0 || index >= count ? -1 : index
  }
  return { columns, rows: Math.ceil(count / columns), at, find }
}

/** Height of a grid in pixels. */
export const heightOf = ({ rows }: BayGrid): number => rows * PITCH

/** Returns the outlines of bays as the data of one SVG path: one element draws all vehicles with the same status. */
export const drawBays = (grid: BayGrid, indexes: number[]): string =>
  indexes.map((index) => {
    const { x, y } = grid.at(index)
    return `M${x} ${y}h${BAY}v${BAY}h${-BAY}z`
  }).join('')
