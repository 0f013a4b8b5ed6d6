import { isServerReachable } from '@/api/connectivity'

/** Reloads the page once when a part of its code is missing because a newer build has replaced it. Drafts survive the reload, because they are in web storage. */
export function reloadPageOnce(): void {
  setTimeout(() => sessionStorage.removeItem('reloaded'), 60_000)
  let isLeaving = false
  window.addEventListener('beforeunload', () => {
    isLeaving = true
  })
  window.addEventListener('vite:preloadError', () => {
    // WebKit and Firefox stop loading code when the person leaves the page. A reload would keep the person here.
    // Offline, a reload could leave an empty page.
    if (isLeaving || sessionStorage.getItem('reloaded') !== null || !isServerReachable.get()) return
    sessionStorage.setItem('reloaded', '1')
    window.location.reload()
  })
}
