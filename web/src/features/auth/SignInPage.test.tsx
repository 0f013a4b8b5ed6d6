import { act, screen, waitFor } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { currentSession, endSession, rememberScreen } from '@/api/session'
import { reply, serve } from '@/testing/server'
import { asUser, OPERATOR, show } from '@/testing/show'
import SignInPage from './SignInPage'

afterEach(endSession)
const signIn = () => screen.getByRole('button', { name: 'Sign in' })

async function tryToSignIn(password = 'secret') {
  const user = show(SignInPage, '/', '/')
  await user.type(screen.getByLabelText('HMC (Register Number)'), '1003')
  await user.type(screen.getByLabelText('Password'), password)
  await user.click(signIn())
  return user
}

test('the button waits for both fields', async () => {
  const user = show(SignInPage, '/', '/')
  expect(signIn()).toHaveProperty('disabled', true)
  await user.type(screen.getByLabelText('HMC (Register Number)'), '1003')
  await user.type(screen.getByLabelText('Password'), '  ')
  expect(signIn()).toHaveProperty('disabled', true)
})

test('a sign-in keeps the session, clears the counters and goes home', async () => {
  localStorage.setItem('loginAttempts', '{"count":2,"lastAttempt":1}')
  const calls = serve({ 'POST /sessions': { token: 'T', id: 3, hmc: '1003', user_type: 'op', expires_at: '' }, 'POST /logs/login': reply(204) })
  await tryToSignIn()
  await waitFor(() => expect(window.location.pathname).toBe('/campaign-home'))
  expect(sessionStorage.getItem('JWT_TOKEN')).toBe('T')
  expect(JSON.parse(sessionStorage.getItem('user') ?? '')).toEqual({ id: 3, hmc: '1003', user_type: 'op' })
  expect(localStorage.getItem('loginAttempts')).toBeNull()
  expect(calls.map(({ name }) => name)).toEqual(['POST /sessions', 'POST /logs/login'])
})

test('after an expired session the person is back on the same screen', async () => {
  window.history.replaceState(null, '', '/vehicle/7?yard=2')
  rememberScreen('3')
  serve({ 'POST /sessions': { token: 'T', id: 3, hmc: '1003', user_type: 'op', expires_at: '' } })
  await tryToSignIn()
  await waitFor(() => expect(window.location.pathname + window.location.search).toBe('/vehicle/7?yard=2'))
})

test('a wrong password says how many attempts are left', async () => {
  serve({ 'POST /sessions': reply(401, { code: 'INVALID_CREDENTIALS', message: '', attempts_left: 3 }) })
  await tryToSignIn()
  expect(await screen.findByText('Invalid credentials. You have more 3 attempt(s).')).toBeTruthy()
  expect(JSON.parse(localStorage.getItem('loginAttempts') ?? '')).toMatchObject({ count: 2 })
  expect(currentSession()).toBeNull()
})

test('a block is counted down each second and holds the button', async () => {
  serve({ 'POST /sessions': reply(429, { code: 'LOCKED_OUT', message: '', retry_after: 180 }) })
  await tryToSignIn()
  expect(await screen.findByText('Exceeded login attempts. Please try again in 180 seconds.')).toBeTruthy()
  expect(signIn()).toHaveProperty('disabled', true)
  const blockedUntil = JSON.parse(localStorage.getItem('loginBlock') ?? '').blockedUntil
  vi.spyOn(Date, 'now').mockReturnValue(blockedUntil - 41_000)
  await act(() => new Promise((soon) => { setTimeout(soon, 1100) }))
  expect(screen.getByText('Exceeded login attempts. Please try again in 41 seconds.')).toBeTruthy()
  vi.spyOn(Date, 'now').mockReturnValue(blockedUntil)
  await act(() => new Promise((soon) => { setTimeout(soon, 1100) }))
  expect(signIn()).toHaveProperty('disabled', false)
})

test('who is signed in already goes home', async () => {
  asUser(OPERATOR)
  show(SignInPage, '/', '/')
  await waitFor(() => expect(window.location.pathname).toBe('/campaign-home'))
})
