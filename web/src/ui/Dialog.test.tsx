import { fireEvent, render, screen } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { Dialog } from './Dialog'

test('a press outside closes the dialog, and a press that begins inside and ends outside does not', () => {
  const close = vi.fn()
  render(<Dialog label="Notes" onClose={close}><input aria-label="Note" /></Dialog>)
  const [dialog, field] = [screen.getByRole('dialog'), screen.getByLabelText('Note')]
  fireEvent.pointerDown(field)
  fireEvent.click(dialog) // the browser sends the click to the element that contains both ends of the press
  fireEvent.pointerDown(dialog)
  fireEvent.click(field)
  expect(close).not.toHaveBeenCalled()
  fireEvent.pointerDown(dialog)
  fireEvent.click(dialog)
  expect(close).toHaveBeenCalledTimes(1)
})
