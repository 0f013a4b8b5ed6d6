const FIRST_MS = 800
const MAX_MS = 6000

/**
 * Returns the delay in milliseconds before the next attempt, which doubles after each failure up to a maximum. `random`, from 0 to 1,
 * varies the delay, so that phones do not all retry at the same time.
 */
export const computeBackoffMs = (failures: number, random: number): number => Math.min(MAX_MS, FIRST_MS * 2 ** (failures - 1)) * (0.5 + random / 2)
