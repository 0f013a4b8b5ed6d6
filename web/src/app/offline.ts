import { createStore } from '@/lib/store'

/** The new version that waits until the person lets it in. */
export const waiting = createStore<ServiceWorker | null>(null)

const HOURLY = 3_600_000
const LOOK_MS = 4000
/** A browser may put it off while the old version is at work, and forget it then. */
const ASK_MS = 1000
let asked = false

/** Lets the phone keep the pages and the scanner, once they are shown and nothing else is to be done. */
export function keepOffline(): void {
  if (asked || !import.meta.env.PROD || !('serviceWorker' in navigator)) return
  asked = true
  const soon = () => void register().catch(() => console.warn('the pages could not be kept for use without a network'))
  if ('requestIdleCallback' in window) requestIdleCallback(soon, { timeout: LOOK_MS })
  else setTimeout(soon, LOOK_MS)
}

async function register(): Promise<void> {
  const registration = await navigator.serviceWorker.register('/sw.js')
  if (registration.waiting !== null && navigator.serviceWorker.controller !== null) waiting.set(registration.waiting)
  registration.addEventListener('updatefound', () => {
    const fresh = registration.installing
    fresh?.addEventListener('statechange', () => {
      // without a controller this is the first version, and nobody waits for it
      if (fresh.state === 'installed' && navigator.serviceWorker.controller !== null) waiting.set(fresh)
    })
  })
  setInterval(() => void registration.update().catch(() => undefined), HOURLY)
}

/** Lets the new version in and shows it; where another tab has let it in already, shows it at once. */
export function takeUpdate(): void {
  const show = () => window.location.reload()
  const fresh = waiting.get()
  if (fresh?.state !== 'installed') return show()
  navigator.serviceWorker.addEventListener('controllerchange', show, { once: true })
  const ask = () => fresh.postMessage({ type: 'SKIP_WAITING' })
  ask()
  setInterval(ask, ASK_MS)
}
