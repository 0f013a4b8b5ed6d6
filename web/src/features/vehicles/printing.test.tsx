import { act, render, screen } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { PrintLimitNotice } from './PrintLimitNotice'
import { MAX_PRINTED_ROWS, printPage, useIsPrinting } from '@/lib/printing'

const Probe = () => <p>{useIsPrinting() ? 'on paper' : 'on the screen'}</p>

test('paper says when it has not all vehicles, and says nothing when it has', () => {
  const { rerender, container } = render(<PrintLimitNotice total={MAX_PRINTED_ROWS} />)
  expect(container.textContent).toBe('')
  rerender(<PrintLimitNotice total={20_000} />)
  expect(container.textContent?.replaceAll(/\s/g, ' ')).toBe('Só os primeiros 3 000 de 20 000 veículos são impressos. Use um filtro para imprimir os outros.')
})

test('the rows for paper are rendered before the print dialog opens, and leave when it closes', async () => {
  const print = vi.fn()
  vi.stubGlobal('print', print)
  render(<Probe />)
  act(printPage)
  expect(screen.getByText('on paper')).toBeTruthy()
  expect(print).not.toHaveBeenCalled()
  await vi.waitFor(() => expect(print).toHaveBeenCalledOnce())
  act(() => void window.dispatchEvent(new Event('afterprint')))
  expect(screen.getByText('on the screen')).toBeTruthy()
})

test('a person who prints with the keyboard gets the rows for paper as well', () => {
  render(<Probe />)
  act(() => void window.dispatchEvent(new Event('beforeprint')))
  expect(screen.getByText('on paper')).toBeTruthy()
  act(() => void window.dispatchEvent(new Event('afterprint')))
  expect(screen.getByText('on the screen')).toBeTruthy()
})
