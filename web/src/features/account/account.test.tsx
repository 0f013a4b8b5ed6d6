import { screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { currentSession, endSession } from '@/api/session'
import { reply, serve } from '@/testing/server'
import { asUser, OPERATOR, show } from '@/testing/show'
import AccountPage from './AccountPage'

afterEach(endSession)

async function change(answer: Response, confirmation = 'a-new-word-1') {
  asUser(OPERATOR)
  const calls = serve({ 'PUT /me/password': answer })
  const person = show(AccountPage, '/account', '/account')
  await person.type(screen.getByLabelText('Current password'), 'the-old-word')
  await person.type(screen.getByLabelText('New password'), 'a-new-word-1')
  await person.type(screen.getByLabelText('Confirm new password'), confirmation)
  await person.click(screen.getByRole('button', { name: 'Change my password' }))
  return calls
}

test('the own password is changed with the old one, and the session goes on', async () => {
  const calls = await change(reply(204))
  expect(await screen.findByText('Senha alterada com sucesso!')).toBeTruthy()
  expect(calls.map(({ body }) => body)).toEqual([{ old: 'the-old-word', new: 'a-new-word-1' }])
  expect(currentSession()).not.toBeNull()
})

test('two different new passwords are not sent', async () => {
  expect(await change(reply(204), 'something-else')).toEqual([])
  expect(screen.getByText('As senhas não coincidem.')).toBeTruthy()
})

test('a wrong old password is told', async () => {
  await change(reply(422, { code: 'WRONG_PASSWORD', message: 'the old password is wrong' }))
  expect(await screen.findByText('A senha não foi alterada. A senha atual está errada.')).toBeTruthy()
})
