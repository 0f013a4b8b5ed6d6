import { runWhenIdle } from '@/lib/runWhenIdle'
import { createStore } from '@/lib/store'

/** Service worker of a newer version, installed and waiting until the user accepts the update; null without a newer version. */
export const waitingServiceWorker = createStore<ServiceWorker | null>(null)

const CHECK_INTERVAL_MS = 3_600_000
/** Delay in milliseconds before the service worker is registered in browsers without `requestIdleCallback`. */
const DELAY_MS = 4000
/** Interval in milliseconds between requests to activate the new version. A browser may drop a request while the old version is busy. */
const REPEAT_MS = 1000
let isRegistered = false

/** Registers the service worker once the page is idle. The service worker stores the pages and the scanner for offline use. */
export function registerServiceWorker(): void {
  if (isRegistered || !import.meta.env.PROD || !('serviceWorker' in navigator)) return
  isRegistered = true
  runWhenIdle(() => void register().catch(() => console.warn('failed to register the service worker, the app does not open offline')), DELAY_MS)
}

async function register(): Promise<void> {
  const registration = await navigator.serviceWorker.register('/sw.js')
  if (registration.waiting !== null && navigator.serviceWorker.controller !== null) waitingServiceWorker.set(registration.waiting)
  const offerOnceInstalled = () => {
    const fresh = registration.installing
    fresh?.addEventListener('statechange', () => {
      // Without a controller, this is the first installed version, so no older version has to be replaced.
      if (fresh.state === 'installed' && navigator.serviceWorker.controller !== null) waitingServiceWorker.set(fresh)
    })
  }
  // No `updatefound` event follows for an installation that began before this page registered the service worker.
  offerOnceInstalled()
  registration.addEventListener('updatefound', offerOnceInstalled)
  setInterval(() => void registration.update().catch(() => undefined), CHECK_INTERVAL_MS)
}

/** Activates the waiting version of the app and reloads the page. Reloads at once when another tab has already activated that version. */
export function activateServiceWorkerUpdate(): void {
  const show = () => window.location.reload()
  const fresh = waitingServiceWorker.get()
  if (fresh?.state !== 'installed') return show()
  navigator.serviceWorker.addEventListener('controllerchange', show, { once: true })
  const ask = () => fresh.postMessage({ type: 'SKIP_WAITING' })
  ask()
  setInterval(ask, REPEAT_MS)
}
