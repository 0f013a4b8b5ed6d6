import { isServerReachable } from '@/api/connectivity'

/** Reloads the page once when a part of its code is missing because a newer build has replaced it. Drafts are in web storage and survive. */
export function reloadPageOnce(): void {
  setTimeout(() => sessionStorage.removeItem('reloaded'), 60_000)
  window.addEventListener('vite:preloadError', () => {
    // Offline, a reload could leave an empty page.
    if (sessionStorage.getItem('reloaded') !== null || !isServerReachable.get()) return
    sessionStorage.setItem('reloaded', '1')
    window.location.reload()
  })
}
