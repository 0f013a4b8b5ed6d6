import './ui/tokens.css'
import './ui/base.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { startReportingEndedSessions } from './api/endedSessions'
import { App } from './app/App'
import { registerScannerLoader } from './app/registerScannerLoader'
import { reloadPageOnce } from './app/reloadPageOnce'
import { deleteDataAfterSignOut } from './app/signOut'
import { applyAppearance } from './lib/appearance'
import { restoreLanguage } from './lib/text'

applyAppearance()
reloadPageOnce()
registerScannerLoader()
deleteDataAfterSignOut()
startReportingEndedSessions()
const root = document.getElementById('root')
if (root !== null) {
  await restoreLanguage().catch(() => console.warn('failed to load the chosen language, using the default language'))
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  )
}
