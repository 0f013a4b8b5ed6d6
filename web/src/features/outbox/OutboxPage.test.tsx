import '@/testing/indexedDb'
import { screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { openDatabase } from '@/offline/database'
import { outboxState, loadOutbox } from '@/offline/outbox'
import { endSessionAndKeepData } from '@/api/session'
import { stubServer } from '@/testing/server'
import { signInAs, OPERATOR, renderPage } from '@/testing/renderPage'
import OutboxPage from './OutboxPage'

afterEach(endSessionAndKeepData)

test('a save that was changed on this phone is shown to its owner, who removes it', async () => {
  signInAs(OPERATOR)
  stubServer({ 'GET /conflicts': { conflicts: [] } })
  const kept = await openDatabase()
  await kept?.put('outbox', { seq: 1, id: 'x', owner: '3', state: 'done', at: 1, sealed: new Uint8Array(40) })
  await loadOutbox()
  const person = renderPage(OutboxPage, '/outbox', '/outbox')
  expect(await screen.findByText('Esta inspeção foi alterada neste aparelho e não será enviada.')).toBeTruthy()
  expect(screen.queryByText(/^Tudo enviado/)).toBeNull()
  await person.click(screen.getByRole('button', { name: 'Remove' }))
  await vi.waitFor(() => expect(outboxState.get().undecryptable).toEqual([]))
  expect(await screen.findByText(/^Tudo enviado/)).toBeTruthy()
  expect(screen.getByRole('link', { name: 'See campaigns' }).getAttribute('href')).toBe('/campaign-home')
  expect(await kept?.count('outbox')).toBe(0)
})
