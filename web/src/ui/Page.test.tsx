import { act, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { Skeleton } from './Page'

afterEach(() => vi.useRealTimers())

test('a placeholder says after a moment that loading takes long, and offers to try again', () => {
  vi.useFakeTimers()
  const retry = vi.fn()
  render(<Skeleton label="Loading..." onRetry={retry} />)
  act(() => vi.advanceTimersByTime(1400))
  expect(screen.getByRole('status', { name: 'Loading...' }).textContent).toBe('')
  act(() => vi.advanceTimersByTime(200))
  expect(screen.getByRole('status').textContent).toContain('Still trying…')
  fireEvent.click(screen.getByRole('button', { name: 'Try again' }))
  expect(retry).toHaveBeenCalledOnce()
})
