import { fireEvent, render, screen, within } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { act } from 'react'
import { useKeyboardHelpEntries, type KeyboardHelpEntry } from '@/lib/keyboardHelp'
import { KeyboardShortcuts } from './KeyboardShortcuts'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

const ROWS: KeyboardHelpEntry[] = [{ keys: ['↑', '↓'], label: 'next row' }, { keys: ['Enter'], label: 'open' }]
function PagePart() {
  useKeyboardHelpEntries(ROWS)
  return <div role="search" />
}

/** Types '?' and returns the groups of keys in the help, each as its rows. */
function openHelp(): string[][] {
  vi.advanceTimersByTime(500)
  const event = new KeyboardEvent('keydown', { key: '?', bubbles: true })
  Object.defineProperty(event, 'timeStamp', { value: Date.now() })
  document.body.dispatchEvent(event)
  act(() => vi.advanceTimersByTime(500))
  const groups = [...screen.getByRole('dialog').querySelectorAll('dl')].map((list) => [...list.children].map(({ textContent }) => textContent ?? ''))
  fireEvent.click(within(screen.getByRole('dialog')).getByRole('button'))
  return groups
}

test('the help lists the keys of the page before those of every page, while that part of the page is there', () => {
  const everywhere = ['?Show all keys', 'g then hGo to Home', 'EscClose, or leave a field']
  const { rerender } = render(<><KeyboardShortcuts userType="op" /><PagePart /></>)
  expect(openHelp()).toEqual([['↑ ↓next row', 'Enteropen'], ['/Search', ...everywhere]])
  rerender(<KeyboardShortcuts userType="op" />)
  expect(openHelp()).toEqual([everywhere])
})
