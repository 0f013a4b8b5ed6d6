import { cleanup } from '@testing-library/react'
import { afterEach, beforeEach, vi } from 'vitest'
import { forgetDrafts } from '@/api/drafts'

beforeEach(() => {
  localStorage.clear()
  sessionStorage.clear()
  forgetDrafts()
  window.history.replaceState(null, '', '/')
})

afterEach(() => {
  cleanup()
  vi.useRealTimers()
  vi.unstubAllGlobals()
})
