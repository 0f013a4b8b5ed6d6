import { act, render, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { toast, Toaster } from './Toast'

test('what is said twice stands there once, and what waits for its end is never taken away by another', () => {
  render(<Toaster />)
  const ended: string[] = []
  act(() => {
    toast('error', 'No signal')
    toast('error', 'No signal')
    toast('success', 'Saved', { onEnd: () => ended.push('first') })
    toast('success', 'Saved', { onEnd: () => ended.push('second') })
  })
  expect(screen.getAllByRole('button').map(({ textContent }) => textContent)).toEqual(['No signal', 'Saved', 'Saved'])
  act(() => screen.getAllByRole('button', { name: 'Saved' }).forEach((shown) => shown.click()))
  expect(ended).toEqual(['first', 'second'])
})
