import { act, screen, waitFor } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { getCurrentSession, endSessionAndKeepData, mustChangePassword, saveReturnPath } from '@/api/session'
import { createReply, stubServer } from '@/testing/server'
import { signInAs, OPERATOR, renderPage } from '@/testing/renderPage'
import SignInPage from './SignInPage'

afterEach(endSessionAndKeepData)
const SIGNED_IN = { token: 'T', session_id: 'S', seal_key: 'K', must_change_password: false, id: 3, hmc: '1003', user_type: 'op', expires_at: '' }
const signIn = () => screen.getByRole('button', { name: 'Sign in' })

async function tryToSignIn(password = 'secret') {
  const user = renderPage(SignInPage, '/', '/')
  await user.type(screen.getByLabelText('HMC (Register Number)'), '1003')
  await user.type(screen.getByLabelText('Password'), password)
  await user.click(signIn())
  return user
}

test('the button waits for both fields', async () => {
  const user = renderPage(SignInPage, '/', '/')
  expect(signIn()).toHaveProperty('disabled', true)
  await user.type(screen.getByLabelText('HMC (Register Number)'), '1003')
  await user.type(screen.getByLabelText('Password'), '  ')
  expect(signIn()).toHaveProperty('disabled', true)
})

test('a sign-in keeps the session, clears the counters and goes home', async () => {
  localStorage.setItem('loginAttempts', '{"count":2,"lastAttempt":1}')
  const calls = stubServer({ 'POST /sessions': SIGNED_IN, 'POST /logs/login': createReply(204) })
  await tryToSignIn()
  await waitFor(() => expect(window.location.pathname).toBe('/campaign-home'))
  expect(['JWT_TOKEN', 'SESSION_ID', 'SEAL_KEY'].map((name) => sessionStorage.getItem(name))).toEqual(['T', 'S', 'K'])
  expect(JSON.parse(sessionStorage.getItem('user') ?? '')).toEqual({ id: 3, hmc: '1003', user_type: 'op' })
  expect(localStorage.getItem('loginAttempts')).toBeNull()
  expect(calls.map(({ name }) => name)).toEqual(['POST /sessions', 'POST /logs/login'])
})

test('who has to choose a new password is asked for it on the way to the same screen', async () => {
  window.history.replaceState(null, '', '/vehicle/7')
  saveReturnPath('3')
  const calls = stubServer({ 'POST /sessions': { ...SIGNED_IN, must_change_password: true } })
  await tryToSignIn()
  await waitFor(() => expect(window.location.pathname).toBe('/vehicle/7'))
  expect([mustChangePassword.get(), calls.map(({ name }) => name)]).toEqual([true, ['POST /sessions']])
})

test('after an expired session the person is back on the same screen', async () => {
  window.history.replaceState(null, '', '/vehicle/7?yard=2')
  saveReturnPath('3')
  stubServer({ 'POST /sessions': SIGNED_IN })
  await tryToSignIn()
  await waitFor(() => expect(window.location.pathname + window.location.search).toBe('/vehicle/7?yard=2'))
})

test('a wrong password says how many attempts are left', async () => {
  stubServer({ 'POST /sessions': createReply(401, { code: 'INVALID_CREDENTIALS', message: '', attempts_left: 3 }) })
  await tryToSignIn()
  expect(await screen.findByText('Invalid credentials. You have more 3 attempt(s).')).toBeTruthy()
  expect(JSON.parse(localStorage.getItem('loginAttempts') ?? '')).toMatchObject({ count: 2 })
  expect(getCurrentSession()).toBeNull()
})

test('each failed attempt scrolls its error into view', async () => {
  stubServer({ 'POST /sessions': createReply(401, { code: 'INVALID_CREDENTIALS', message: '', attempts_left: 3 }) })
  const scrolled: (string | null)[] = []
  vi.spyOn(Element.prototype, 'scrollIntoView').mockImplementation(function scroll(this: Element) {
    scrolled.push(this.textContent)
  })
  const user = await tryToSignIn()
  const words = 'Invalid credentials. You have more 3 attempt(s).'
  await waitFor(() => expect(scrolled).toEqual([words]))
  await user.click(signIn())
  await waitFor(() => expect(scrolled).toEqual([words, words]))
})

test('a block is counted down each second and holds the button', async () => {
  stubServer({ 'POST /sessions': createReply(429, { code: 'LOCKED_OUT', message: '', retry_after: 180 }) })
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
  signInAs(OPERATOR)
  renderPage(SignInPage, '/', '/')
  await waitFor(() => expect(window.location.pathname).toBe('/campaign-home'))
})
