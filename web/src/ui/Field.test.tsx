import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { PasswordField } from './Field'

test('a password is hidden until a tap shows it, and keeps its text', async () => {
  render(<PasswordField label="Password" />)
  const person = userEvent.setup()
  const field = screen.getByLabelText<HTMLInputElement>('Password')
  const button = screen.getByRole('button', { name: 'Show password' })
  await person.type(field, 'yard-walk')
  expect([field.type, button.getAttribute('aria-pressed')]).toEqual(['password', 'false'])
  await person.click(button)
  expect([field.type, field.value, button.getAttribute('aria-pressed')]).toEqual(['text', 'yard-walk', 'true'])
  await person.click(button)
  expect([field.type, field.value]).toEqual(['password', 'yard-walk'])
})
