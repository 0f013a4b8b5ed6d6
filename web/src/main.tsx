import './ui/tokens.css'
import './ui/base.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app/App'
import { reloadOnce } from './app/rebuilt'
import { bringScanner } from './app/scanner'
import { showLook } from './lib/look'
import { restoreLanguage } from './lib/text'

showLook()
reloadOnce()
bringScanner()
const root = document.getElementById('root')
if (root !== null) {
  await restoreLanguage().catch(() => console.warn('the chosen language could not be loaded'))
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  )
}
