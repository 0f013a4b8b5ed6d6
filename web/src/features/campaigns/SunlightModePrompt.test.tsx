import { act, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { appearance, setAppearance } from '@/lib/appearance'
import { SunlightModePrompt } from './SunlightModePrompt'

const PHONE = '(pointer: coarse) and (max-width: 767px)'

/** Sets the hour of the device's clock and whether the device is a phone. */
function stubDevice(hour: number, isPhone: boolean) {
  vi.setSystemTime(new Date(2026, 10, 28, hour, 30))
  vi.stubGlobal('matchMedia', (query: string) => ({ matches: isPhone && query === PHONE, addEventListener: () => {}, removeEventListener: () => {} }))
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
  localStorage.clear()
  act(() => setAppearance({ theme: 'system', highContrast: false }))
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

test('the sun appearance is offered on a phone in the daytime, once on each device', async () => {
  const person = userEvent.setup()
  stubDevice(8, true)
  const first = render(<SunlightModePrompt />)
  await person.click(screen.getByRole('button', { name: 'Usar alto contraste' }))
  expect(appearance.get()).toEqual({ theme: 'light', highContrast: true })
  expect(screen.queryByRole('button')).toBeNull()
  first.unmount()
  act(() => setAppearance({ theme: 'light', highContrast: false }))
  render(<SunlightModePrompt />)
  expect(screen.queryByRole('button'), 'the answer is remembered').toBeNull()
})

test('a refused sun appearance is not offered again and changes nothing', async () => {
  const person = userEvent.setup()
  stubDevice(16, true)
  const first = render(<SunlightModePrompt />)
  await person.click(screen.getByRole('button', { name: 'Não, obrigado' }))
  first.unmount()
  render(<SunlightModePrompt />)
  expect(screen.queryByRole('button')).toBeNull()
  expect(appearance.get()).toEqual({ theme: 'system', highContrast: false })
})

test.each([
  ['in the evening', 17, true],
  ['before work', 7, true],
  ['at a desk', 12, false],
])('the sun appearance is not offered %s', (_, hour, isPhone) => {
  stubDevice(hour, isPhone)
  render(<SunlightModePrompt />)
  expect(screen.queryByRole('button')).toBeNull()
})
