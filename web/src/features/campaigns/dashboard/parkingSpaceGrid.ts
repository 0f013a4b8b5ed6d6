import type { ListedVehicle } from '@/api/types'

/** Minimum number of neighbouring missing vehicles that are reported together. Fewer vehicles may be missing by chance. */
const MIN_RUN = 4

/** Run of neighbouring parking spaces whose vehicles all have the status Not Found. The whole row of vehicles may have been moved. */
export interface MissingVehicleRange {
  yard: number | null
  /** First parking space of the run; the field `last` contains the last parking space. */
  first: string
  last: string
  vehicles: number
}

const numberOf = (space: string): number => Number(/(\d+)\D*$/.exec(space)?.[1] ?? NaN)

/** Returns whether two vehicles are in the same yard and `after` has the same parking space number as `before`, or the next number. */
const isNeighbour = (before: ListedVehicle, after: ListedVehicle): boolean => {
  const step = numberOf(after.parking_space) - numberOf(before.parking_space)
  return before.id_yard === after.id_yard && (step === 0 || step === 1)
}

/**
 * Returns the runs of neighbouring parking spaces whose vehicles have the status Not Found, longest first. Omits runs of fewer than
 * `MIN_RUN` vehicles. `vehicles` must be in walking order (by yard, then parking space).
 */
export function findMissingVehicleRanges(vehicles: readonly ListedVehicle[]): MissingVehicleRange[] {
  const runs: MissingVehicleRange[] = []
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

/** Layout of parking spaces in rows of equal length, with positions in pixels. */
export interface ParkingSpaceGrid {
  columns: number
  rows: number
  /** Distance in pixels between the left edges, and between the upper edges, of neighbouring parking spaces. */
  pitch: number
  /** Side length in pixels of a drawn parking space. */
  side: number
  /** Returns the position of the upper left corner of the parking space with this index. */
  at: (index: number) => { x: number; y: number }
  /** Returns the index of the parking space at a position, or -1 outside all spaces. */
  find: (x: number, y: number) => number
}

/** Minimum distance between the left edges of neighbouring parking spaces, and the gap between the spaces; both in pixels. */
const [MIN_PITCH_PX, GAP_PX] = [21, 3]
/** Width in pixels of the label at the start of each row, which names the first parking space of the row. */
export const ROW_LABEL_WIDTH_PX = 64
/**
 * The number of parking spaces per row is a multiple of this number. The space numbers in the row labels then increase in round steps, such
 * as 20.
 */
const ROUND = 5

/**
 * Arranges `count` parking spaces in rows that fill a width in pixels. The number of spaces per row is a multiple of `ROUND`, and the
 * spaces are enlarged so that a row still fills the width.
 */
export function createParkingSpaceGrid(count: number, width: number): ParkingSpaceGrid {
  const room = width - ROW_LABEL_WIDTH_PX
  const fitting = Math.floor(room / MIN_PITCH_PX)
  const columns = Math.max(ROUND, fitting - (fitting % ROUND))
  const pitch = Math.max(MIN_PITCH_PX, Math.floor((room + GAP_PX) / columns))
  const at = (index: number) => ({ x: ROW_LABEL_WIDTH_PX + (index % columns) * pitch, y: Math.floor(index / columns) * pitch })
  const find = (x: number, y: number) => {
    const column = Math.floor((x - ROW_LABEL_WIDTH_PX) / pitch)
    const index = Math.floor(y / pitch) * columns + column
    return column < 0 || column >= columns || y < 0 || index >= count ? -1 : index
  }
  return { columns, rows: Math.ceil(count / columns), pitch, side: pitch - GAP_PX, at, find }
}

/** Returns the height of a grid of parking spaces in pixels. */
export const computeGridHeight = ({ rows, pitch }: ParkingSpaceGrid): number => rows * pitch

/**
 * Returns the outlines of the parking spaces with these indexes as the data of one SVG path. One element then draws all vehicles of a
 * status.
 */
export const buildParkingSpaceSvgPath = (grid: ParkingSpaceGrid, indexes: number[]): string =>
  indexes.map((index) => {
    const { x, y } = grid.at(index)
    return `M${x} ${y}h${grid.side}v${grid.side}h${-grid.side}z`
  }).join('')
