import { act, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { databaseProblem } from '@/offline/database'
import { outboxState } from '@/offline/outbox'
import { StorageWarning } from './StorageWarning'

const INITIAL = outboxState.get()

beforeEach(() => {
  outboxState.set({ ...INITIAL, canStore: false })
  render(<StorageWarning />)
})
afterEach(() => {
  databaseProblem.set(null)
  outboxState.set(INITIAL)
})

test('a browser without a database is said to store nothing', () => {
  expect(screen.getByText(/^Este navegador não consegue guardar dados\./)).toBeTruthy()
})

test('a page that is older than the database asks to be reloaded', () => {
  act(() => databaseProblem.set('outdated'))
  expect(screen.getByText('Uma versão mais nova está aberta em outra aba. Recarregue esta página para continuar.')).toBeTruthy()
  expect(screen.queryByText(/não consegue guardar dados/)).toBeNull()
})

test('a browser that can store data needs no warning', () => {
  act(() => outboxState.set({ ...INITIAL, canStore: true }))
  expect(document.querySelector('p')).toBeNull()
})
