import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { expect, test } from 'vitest'
import { StatusButtonGrid } from './StatusButtonGrid'

function Grid({ userRole }: { userRole: string }) {
  const [value, setValue] = useState('ok')
  return (
    <>
      <StatusButtonGrid role={userRole} stored="ok" value={value} onChange={setValue} />
      <output>{value === '' ? 'none' : value}</output>
    </>
  )
}

const chosen = () => screen.getByRole('status').textContent

test('a tap on the stored status keeps it; a supervisor clears it with a button of its own', async () => {
  render(<Grid userRole="admin" />)
  const person = userEvent.setup()
  await person.click(screen.getByRole('button', { name: /^ok/ }))
  expect(chosen()).toBe('ok')
  await person.click(screen.getByRole('button', { name: 'Clear status' }))
  expect(chosen()).toBe('none')
  expect(screen.queryByRole('button', { name: 'Clear status' })).toBeNull()
})

test('only supervisors are offered to clear a stored status', () => {
  render(<Grid userRole="op" />)
  expect(screen.queryByRole('button', { name: 'Clear status' })).toBeNull()
})
