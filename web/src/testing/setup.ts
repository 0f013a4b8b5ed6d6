import { cleanup, configure } from '@testing-library/react'
import { afterEach, beforeEach, vi } from 'vitest'

/** Time limit in milliseconds of waiting for an expectation. A busy machine delays results, and a longer limit does not slow tests that pass. */
const WAIT_MS = 5000
configure({ asyncUtilTimeout: WAIT_MS })
const { waitFor } = vi
vi.waitFor = (expectation, options = WAIT_MS) => waitFor(expectation, options)

// happy-dom has no default styles. Without this one, accessible names contain a space before a `<b>` inside a word, unlike in browsers.
const inlineStyles = document.createElement('style')
inlineStyles.textContent = 'b { display: inline }'
document.head.append(inlineStyles)

// The test files of a worker share its DOM. Each file loads Patio's modules again and starts without a database, so that no state of other
// files remains.
vi.resetModules()
Reflect.deleteProperty(globalThis, 'indexedDB')
const { clearFormDrafts } = await import('@/api/formDrafts')

beforeEach(() => {
  localStorage.clear()
  sessionStorage.clear()
  clearFormDrafts()
  window.history.replaceState(null, '', '/')
})

afterEach(() => {
  cleanup()
  vi.useRealTimers()
  vi.unstubAllGlobals()
})
