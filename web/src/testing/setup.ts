import { cleanup } from '@testing-library/react'
import { afterEach, beforeEach, vi } from 'vitest'
import { clearFormDrafts } from '@/api/formDrafts'

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
