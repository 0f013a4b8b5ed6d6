// Window size and timeout of the journeys, which test the main tasks in WebKit and Firefox.
/** Size of a phone's window in CSS pixels. */
export const PHONE = { width: 390, height: 844 }
/** Maximum time in milliseconds to wait for an element. */
export const WAIT_MS = 20_000
