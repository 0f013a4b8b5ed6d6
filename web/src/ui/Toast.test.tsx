import { act, render, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { showToast, TOAST_DURATION_MS, Toaster, type ToastKind } from './Toast'

afterEach(() => vi.useRealTimers())

test('what is said twice stands there once, and what waits for its end is never taken away by another', () => {
  render(<Toaster />)
  const ended: string[] = []
  act(() => {
    showToast('error', 'No signal')
    showToast('error', 'No signal')
    showToast('success', 'Saved', { onEnd: () => ended.push('first') })
    showToast('success', 'Saved', { onEnd: () => ended.push('second') })
  })
  expect(screen.getAllByRole('button').map(({ textContent }) => textContent)).toEqual(['No signal', 'Saved', 'Saved'])
  act(() => screen.getAllByRole('button', { name: 'Saved' }).forEach((shown) => shown.click()))
  expect(ended).toEqual(['first', 'second'])
  act(() => screen.getByRole('button', { name: 'No signal' }).click())
  expect(screen.queryAllByRole('button')).toEqual([])
})

test.each<ToastKind>(['success', 'error', 'info'])('a toast of the kind %s has a look of its own and stays for four seconds', (kind) => {
  vi.useFakeTimers()
  render(<Toaster />)
  const others = (['success', 'error', 'info'] as const).filter((other) => other !== kind)
  act(() => [kind, ...others].forEach((each) => showToast(each, `A toast of ${each}`)))
  const shown = screen.getByRole('button', { name: `A toast of ${kind}` })
  const looks = (button: HTMLElement) => [button.dataset.kind, button.className, button.querySelector('svg')?.innerHTML]
  expect(shown.dataset.kind).toBe(kind)
  for (const other of others) {
    for (const [index, look] of looks(screen.getByRole('button', { name: `A toast of ${other}` })).entries()) expect(look).not.toBe(looks(shown)[index])
  }
  expect(TOAST_DURATION_MS).toBe(4000)
  act(() => vi.advanceTimersByTime(3999))
  expect(screen.queryAllByRole('button')).toHaveLength(3)
  act(() => vi.advanceTimersByTime(1))
  expect(screen.queryAllByRole('button')).toHaveLength(0)
})

test('toasts stand above the bottom bars of the page, but not above a bar beside them', () => {
  const bar = (left: number, top: number) => {
    const element = document.body.appendChild(document.createElement('div'))
    element.dataset.bottomBar = ''
    element.getBoundingClientRect = () => new DOMRect(left, top, 400, window.innerHeight - top)
  }
  const { container } = render(<Toaster />)
  const toaster = container.querySelector<HTMLElement>('[role=status]')
  if (toaster === null) throw new Error('no toaster')
  toaster.getBoundingClientRect = () => new DOMRect(500, 700, 484, 60)
  const height = () => {
    act(() => showToast('info', 'Saved'))
    const shown = toaster.style.getPropertyValue('--bar-height')
    act(() => screen.getByRole('button', { name: 'Saved' }).click())
    return shown
  }
  bar(0, window.innerHeight - 90)
  expect(height()).toBe('0px')
  bar(450, window.innerHeight - 60)
  expect(height()).toBe('60px')
  bar(600, window.innerHeight - 80)
  expect(height()).toBe('80px')
  document.body.replaceChildren()
})
