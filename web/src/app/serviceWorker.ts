import { runWhenIdle } from '@/lib/runWhenIdle'
import { createStore } from '@/lib/store'

/** The service worker of a newer version, installed and waiting until the person accepts the update; null while no newer version waits. */
export const waitingServiceWorker = createStore<ServiceWorker | null>(null)

const CHECK_INTERVAL_MS = 3_600_000
/** Delay in milliseconds before the registration in browsers without idle callbacks. */
const DELAY_MS = 4000
/** Interval in milliseconds at which the request to activate the new version is repeated. A browser may drop the request while the old version is busy. */
const REPEAT_MS = 1000
let isRegistered = false

/** Registers the service worker, which stores the pages and the scanner for offline use, once the page is idle. */
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

/** Activates the newer version and reloads the page. Reloads at once when another tab has already activated the newer version. */
export function activateServiceWorkerUpdate(): void {
  const show = () => window.location.reload()
  const fresh = waitingServiceWorker.get()
  if (fresh?.state !== 'installed') return show()
  navigator.serviceWorker.addEventListener('controllerchange', show, { once: true })
  const ask = () => fresh.postMessage({ type: 'SKIP_WAITING' })
  ask()
  setInterval(ask, REPEAT_MS)
}
