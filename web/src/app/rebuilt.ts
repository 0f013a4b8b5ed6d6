import { signal } from '@/api/signal'

/** Loads the page anew, once, when a piece of it is gone because a new build took its place; drafts are in web storage. */
export function reloadOnce(): void {
  setTimeout(() => sessionStorage.removeItem('reloaded'), 60_000)
  window.addEventListener('vite:preloadError', () => {
    // Without a network a reload could leave nothing on the screen.
    if (sessionStorage.getItem('reloaded') !== null || !signal.get()) return
    sessionStorage.setItem('reloaded', '1')
    window.location.reload()
  })
}
