import './ui/tokens.css'
import './ui/base.css'
import { StrictMode, startTransition } from 'react'
import { createRoot } from 'react-dom/client'
import { startReportingEndedSessions } from './api/endedSessions'
import { getCurrentSession } from './api/session'
import { App } from './app/App'
import { registerScannerLoader } from './app/registerScannerLoader'
import { reloadOnMissingChunk } from './app/reloadOnMissingChunk'
import { loadInitialRoute } from './app/routes'
import { deleteLocalDataOnSignOut } from './app/signOut'
import { applyAppearance } from './lib/appearance'
import { restoreLanguage } from './lib/text'

/**
 * Maximum time in milliseconds to wait for the code of the first page. After this time, the app renders with a placeholder, which React
 * shows for at least 300 ms.
 */
const FIRST_PAGE_TIMEOUT_MS = 300

applyAppearance()
reloadOnMissingChunk()
registerScannerLoader()
deleteLocalDataOnSignOut()
startReportingEndedSessions()
const root = document.getElementById('root')
if (root !== null) {
  const firstPage = loadInitialRoute(globalThis.location.pathname, getCurrentSession() !== null).catch(() => undefined) // the page itself reports the error
  const timeout = new Promise((resolve) => setTimeout(resolve, FIRST_PAGE_TIMEOUT_MS))
  const language = restoreLanguage().catch(() => console.warn('failed to load the chosen language, using the default language'))
  await Promise.all([language, Promise.race([firstPage, timeout])])
  // A transition is rendered in short slices, between which a slow phone can react to taps.
  startTransition(() =>
    createRoot(root).render(
      <StrictMode>
        <App />
      </StrictMode>,
    ),
  )
}
