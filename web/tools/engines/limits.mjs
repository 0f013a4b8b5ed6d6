// Limits of the journeys.
/** Size of a phone's window in CSS pixels. */
export const PHONE = { width: 390, height: 844 }
/** Longest time in milliseconds that an element may take to appear. */
export const WAIT_MS = 20_000
