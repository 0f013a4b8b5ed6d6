import { act, render, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { recordResponseStatus, setServerReachable } from '@/api/connectivity'
import { recordPendingSaveCount } from '@/offline/pendingSaveCount'
import { SyncChip } from './SyncChip'

const OWNER = 'owner'
const show = () => render(<SyncChip owner={OWNER} />)
const chip = () => {
  const link = screen.getByRole('link')
  return [link.getAttribute('aria-label'), link.textContent?.trim()]
}
const count = (open: number, refused = 0, owner = OWNER) => act(() => recordPendingSaveCount({ owner, open, refused, others: 0 }))

afterEach(() => {
  setServerReachable(true)
  recordResponseStatus(200)
  recordPendingSaveCount({ owner: null, open: 0, refused: 0, others: 0 })
})

test('the chip names what is pending, what was rejected and since when there is no signal', () => {
  vi.useFakeTimers({ now: new Date('2026-03-04T17:02:30Z'), toFake: ['Date'] })
  show()
  expect(chip()).toEqual(['Synced', 'Synced'])
  count(1)
  expect(chip()).toEqual(['1 pending save, 1 to send', '1 to send'])
  act(() => setServerReachable(false))
  count(3, 1)
  expect(chip()).toEqual(['3 pending saves, 1 rejected, Offline since 14:02 1 to answer 2 to send', 'Offline since 14:02 1 to answer 2 to send'])
  vi.setSystemTime(new Date('2026-03-04T18:00:00Z'))
  act(() => setServerReachable(false)) // a further failed call does not move the time
  expect(chip()[1]).toContain('14:02')
  act(() => setServerReachable(true))
  count(0)
  expect(chip()).toEqual(['Synced', 'Synced'])
})

test('the chip says that the server fails after two failed calls in a row, until a call succeeds', () => {
  show()
  act(() => recordResponseStatus(503))
  expect(chip()).toEqual(['Synced', 'Synced'])
  act(() => recordResponseStatus(404))
  act(() => recordResponseStatus(503))
  expect(chip()).toEqual(['Synced', 'Synced'])
  act(() => recordResponseStatus(500))
  expect(chip()).toEqual(['Server error', 'Server error'])
  count(2)
  expect(chip()).toEqual(['2 pending saves, Server error 2 to send', 'Server error 2 to send'])
  act(() => setServerReachable(false))
  expect(chip()[1]).not.toContain('Server error')
  act(() => setServerReachable(true))
  act(() => recordResponseStatus(200))
  count(0)
  expect(chip()).toEqual(['Synced', 'Synced'])
})

test('the chip counts no saves of other people', () => {
  show()
  count(2, 0, 'another person')
  expect(chip()).toEqual(['Synced', 'Synced'])
})

test('the chip counts no save that is only held for Undo', () => {
  show()
  act(() => recordPendingSaveCount({ owner: OWNER, open: 1, held: 1, refused: 0, others: 0 }))
  expect(chip()).toEqual(['Synced', 'Synced'])
  act(() => recordPendingSaveCount({ owner: OWNER, open: 3, held: 1, refused: 0, others: 0 }))
  expect(chip()).toEqual(['2 pending saves, 2 to send', '2 to send'])
})

test('on a phone the chip has two short lines, and its name still says since when', () => {
  vi.useFakeTimers({ now: new Date('2026-03-04T17:02:30Z'), toFake: ['Date'] })
  vi.spyOn(window, 'matchMedia').mockImplementation((media) => Object.assign(new EventTarget(), { matches: media === '(max-width: 599px)', media, onchange: null, addListener: () => undefined, removeListener: () => undefined }))
  show()
  expect(screen.getByRole('link').dataset.words).toBeUndefined()
  count(1)
  act(() => setServerReachable(false))
  expect(chip()).toEqual(['1 pending save, Offline 14:02 1 to send', 'Offline 14:02 1 to send'])
  expect(screen.getByRole('link').dataset.words).toBe('true')
  vi.restoreAllMocks()
})
