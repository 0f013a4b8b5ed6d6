import { pingServer } from '@/api/connectivity'

/** Installs a listener that reloads the page once when code is missing because a newer build has replaced it. Stored drafts are kept. */
export function reloadOnMissingChunk(): void {
  setTimeout(() => sessionStorage.removeItem('reloaded'), 60_000)
  let isLeaving = false
  window.addEventListener('beforeunload', () => {
    isLeaving = true
  })
  window.addEventListener('vite:preloadError', async () => {
    // WebKit and Firefox abort the loading of code when the person leaves the page; a reload would keep the person on the page. Without a
    // connection to the server, a reload could leave an empty page.
    const mayReload = () => !isLeaving && sessionStorage.getItem('reloaded') === null
    if (!mayReload() || !(await pingServer()) || !mayReload()) return
    sessionStorage.setItem('reloaded', '1')
    window.location.reload()
  })
}
