/** Length of an hour in milliseconds. */
export const HOUR = 3_600_000
const DAY = 24 * HOUR
/** The pages show all times three hours behind UTC, see `lib/time`. */
const OFFSET = 3 * HOUR
/** Working hours that are assumed until the work itself shows them. */
const [FIRST, END] = [7, 17]
/** Number of different hours of the day from which the working hours are taken from the work itself. */
const ENOUGH = 4
/** Horizon of all calculations in hours. */
const MAX_HOURS = 24 * 366

/** Hours of the day in which people work: from `first` to before `end`. */
export interface WorkingHours {
  first: number
  end: number
}

/** Returns the hour of the day, 0 to 23, of a time in milliseconds. */
export const hourOfDay = (at: number): number => Math.floor((((at - OFFSET) % DAY) + DAY) % DAY / HOUR)
/** Returns the begin of the day of a time in milliseconds. */
export const dayOf = (at: number): number => at - ((((at - OFFSET) % DAY) + DAY) % DAY)
const isWorking = (at: number, { first, end }: WorkingHours) => hourOfDay(at) >= first && hourOfDay(at) < end

/** Returns the working hours that the begins of the worked hours show, or the usual ones while there are few. */
export function findWorkingHours(worked: number[]): WorkingHours {
  const seen = new Set(worked.map(hourOfDay))
  const [low, high] = [Math.min(...seen, 23), Math.max(...seen, 0) + 1]
  if (seen.size >= ENOUGH) return { first: low, end: high }
  return seen.size === 0 ? { first: FIRST, end: END } : { first: Math.min(low, FIRST), end: Math.max(high, END) }
}

/** Calls `visit` for each part of an hour from a time on, with its begin and its length in hours, until `visit` returns true. */
function walk(from: number, hours: WorkingHours, visit: (at: number, length: number) => boolean): void {
  let at = from
  for (let step = 0; step < MAX_HOURS; step += 1) {
    const next = (Math.floor(at / HOUR) + 1) * HOUR
    if (isWorking(at, hours) && visit(at, (next - at) / HOUR)) return
    at = next
  }
}

/** Returns the time after a number of working hours; null when this is months away. */
export function addWorkingHours(from: number, amount: number, hours: WorkingHours): number | null {
  let [left, end]: [number, number | null] = [amount, null]
  walk(from, hours, (at, length) => {
    if (left <= length) end = at + left * HOUR
    left -= length
    return end !== null
  })
  return end
}

/** Returns the number of working hours between two times. */
export function countWorkingHours(from: number, to: number, hours: WorkingHours): number {
  let sum = 0
  walk(from, hours, (at, length) => {
    if (at < to) sum += Math.min(length, (to - at) / HOUR)
    return at >= to
  })
  return sum
}
