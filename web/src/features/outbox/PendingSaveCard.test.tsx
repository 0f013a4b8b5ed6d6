import '@/testing/indexedDb'
import { screen, waitFor, within } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { Outbox, outboxState, loadOutbox, deleteOutboxEntry } from '@/offline/outbox'
import { endSessionAndKeepData } from '@/api/session'
import { setLanguage } from '@/lib/text'
import { rejectAsOffline, createSavedVehicle, createSaveRequest } from '@/testing/outboxTabs'
import { createReply, stubServer } from '@/testing/server'
import { signInAs, OPERATOR, renderPage, createTestQueryClient } from '@/testing/renderPage'
import { vinText } from '@/testing/vinText'
import OutboxPage from './OutboxPage'

const NEW = 'NEW7 000000'
const queries = createTestQueryClient()
const outbox = new Outbox(queries, () => undefined)
const isAnother = createReply(409, { code: 'OTHER_VEHICLE', message: 'not the one that was seen', vin_number: NEW })

afterEach(async () => {
  await setLanguage('default')
  for (const { seq } of outboxState.get().entries) await deleteOutboxEntry(seq)
  endSessionAndKeepData()
})

/** Renders the Offline page with one rejected save of HB20 000007; `answer` is the server's rejection. */
async function refused(answer: Response) {
  signInAs(OPERATOR)
  await loadOutbox()
  stubServer({ 'PUT /vehicles/7': answer })
  await outbox.save(createSaveRequest(7), 'key-7').catch(() => undefined)
  const calls = stubServer({ 'GET /conflicts': { conflicts: [] }, 'PUT /vehicles/7': createSavedVehicle(7) })
  const person = renderPage(OutboxPage, '/outbox', '/outbox', queries, outbox)
  const card = within(await screen.findByRole('listitem'))
  return { person, card, saves: () => calls.filter(({ name }) => name === 'PUT /vehicles/7').map(({ body }) => body) }
}
const states = () => outboxState.get().entries.map(({ vin, state }) => `${vin} ${state}`)
const buttons = (card: { getAllByRole: (role: string) => HTMLElement[] }) => card.getAllByRole('button').map(({ textContent }) => textContent)

test('a save that meets another vehicle asks, with what was saved and two answers', async () => {
  const { card } = await refused(isAnother)
  expect(screen.getByText('A inspeção de 1 veículo aguarda a sua resposta: é este o veículo?')).toBeTruthy()
  expect(card.getByRole('heading').textContent).toBe('É este o veículo?')
  for (const text of [vinText('NEW7 000000'), 'Answer needed', 'ng', 'Notes: a secret note', 'Você inspecionou HB20 000007. O servidor tem NEW7 000000 no lugar dele.', /^Airbag ·/]) expect(card.getByText(text)).toBeTruthy()
  expect(card.getByRole('img', { name: 'A-7' })).toBeTruthy()
  expect(buttons(card)).toEqual(['Yes, save to NEW7 000000', 'Discard'])
  expect(screen.queryByRole('button', { name: 'Send now' })).toBeNull()
})

test.each([
  ['en', 'You inspected HB20 000007. The server has NEW7 000000 in its place.', 'Is this the vehicle?', ['Yes, save to NEW7 000000', 'Discard']],
  ['pt-BR', 'Você inspecionou HB20 000007. O servidor tem NEW7 000000 no lugar dele.', 'É este o veículo?', ['Sim, salvar em NEW7 000000', 'Descartar']],
] as const)('it asks in the language %s', async (language, text, title, answers) => {
  await setLanguage(language)
  const { card } = await refused(isAnother)
  expect([card.getByRole('heading').textContent, buttons(card)]).toEqual([title, answers])
  expect(card.getByText(text)).toBeTruthy()
})

test('"Yes" sends it to the vehicle that the server has', async () => {
  const { person, card, saves } = await refused(isAnother)
  await person.click(card.getByRole('button', { name: 'Yes, save to NEW7 000000' }))
  await waitFor(() => expect(states()).toEqual(['NEW7 000000 done']))
  expect(saves()).toMatchObject([{ seen_vin_number: NEW, status: 'ng', operator_notes: 'a secret note' }])
})

test('"Discard" asks first, then leaves nothing and sends nothing', async () => {
  const { person, card, saves } = await refused(isAnother)
  await person.click(card.getByRole('button', { name: 'Discard the inspection of HB20 000007' }))
  await person.click(screen.getByRole('button', { name: 'NO' }))
  expect(states()).toEqual(['HB20 000007 refused'])
  await person.click(card.getByRole('button', { name: 'Discard the inspection of HB20 000007' }))
  await person.click(screen.getByRole('button', { name: 'YES' }))
  await waitFor(() => expect(states()).toEqual([]))
  expect(await screen.findByText('Inspeção descartada.')).toBeTruthy()
  expect(saves()).toEqual([])
})

test('a save of a vehicle that is gone shows what was typed, and offers no screen that cannot be opened', async () => {
  const { card } = await refused(createReply(404, { code: 'NO_VEHICLE', message: 'Vehicle not found. It may have been deleted.' }))
  for (const text of [vinText('HB20 000007'), 'ng', 'Notes: a secret note', 'Recusado: O veículo ou a campanha foi excluído. Descarte esta inspeção.', /^Airbag ·/]) expect(card.getByText(text)).toBeTruthy()
  expect(card.getByRole('img', { name: 'A-7' })).toBeTruthy()
  expect(buttons(card)).toEqual(['Try again', 'Discard'])
})

test('a refusal without the other identifier says why, and offers what every refusal does', async () => {
  const { card } = await refused(createReply(409, { code: 'OTHER_VEHICLE', message: 'not the one that was seen' }))
  expect(card.queryByRole('heading')).toBeNull()
  expect(card.getByText('Recusado: not the one that was seen')).toBeTruthy()
  expect(buttons(card)).toEqual(['Try again', 'Edit', 'Discard'])
})

test('while it waits it can be sent, edited and discarded', async () => {
  signInAs(OPERATOR)
  await loadOutbox()
  stubServer({ 'PUT /vehicles/7': rejectAsOffline, 'GET /conflicts': { conflicts: [] } })
  await outbox.save(createSaveRequest(7), 'key-7')
  renderPage(OutboxPage, '/outbox', '/outbox', queries, outbox)
  await vi.waitFor(async () => expect(buttons(within(await screen.findByRole('listitem')))).toEqual(['Edit', 'Discard']))
  expect(screen.getByRole('button', { name: 'Send now' })).toBeTruthy()
})

test('while the server is unreachable, the button says "Try now" and is not the primary one', async () => {
  signInAs(OPERATOR)
  await loadOutbox()
  stubServer({ 'PUT /vehicles/7': rejectAsOffline, 'GET /conflicts': rejectAsOffline })
  await outbox.save(createSaveRequest(7), 'key-7')
  renderPage(OutboxPage, '/outbox', '/outbox', queries, outbox)
  const button = await screen.findByRole('button', { name: 'Try now' })
  expect(button.className).toContain('secondary')
  expect(screen.getByText('Sem conexão. O envio continua automaticamente.')).toBeTruthy()
})
