const MAX_LINES = 4

/** Returns the values at which a chart from 0 to `top` has its grid lines, including `top`. */
export function listAxisTicks(top: number): number[] {
  const rough = Math.max(top, 1) / (MAX_LINES - 1)
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = Math.max(1, [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough) ?? rough)
  const ticks: number[] = []
  for (let at = 0; at < top * 0.9; at += step) ticks.push(at)
  return [...ticks, top]
}

/** Returns a function that maps values from `low` to `high` linearly to positions from `start` to `end`. */
export const createLinearScale = (low: number, high: number, start: number, end: number) => (value: number) =>
  Math.round((start + ((value - low) / Math.max(high - low, 1)) * (end - start)) * 10) / 10
