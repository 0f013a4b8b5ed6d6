import '@/testing/indexedDb'
import { afterEach, expect, test, vi } from 'vitest'
import { endSessionAndKeepData } from '@/api/session'
import { signOutInThisTab } from '@/api/signOut'
import { OPERATOR, signInAs } from '@/testing/renderPage'
import { deleteLocalDataOnSignOut } from './signOut'

afterEach(endSessionAndKeepData)

const PENDING = 'pendingDeletions'
const DRAFT = `draft:${OPERATOR.id}:1`
const leave = (owners: string[]) => {
  localStorage.setItem(PENDING, JSON.stringify(owners))
  localStorage.setItem(DRAFT, '"a secret note"')
}

test('a deletion that a closed page has interrupted is completed when the next page starts', async () => {
  leave([String(OPERATOR.id)])
  deleteLocalDataOnSignOut()
  await vi.waitFor(() => expect([localStorage.getItem(DRAFT), localStorage.getItem(PENDING)]).toEqual([null, null]))
})

test('the data of a person who has signed in again is kept', async () => {
  signInAs(OPERATOR)
  leave([String(OPERATOR.id)])
  deleteLocalDataOnSignOut()
  await vi.waitFor(() => expect(localStorage.getItem(PENDING)).toBeNull())
  expect(localStorage.getItem(DRAFT)).not.toBeNull()
})

test('a sign-out notes the deletion before it begins, so that closing the page at once leaves nothing for good', () => {
  signInAs(OPERATOR)
  deleteLocalDataOnSignOut()
  signOutInThisTab()
  expect(JSON.parse(localStorage.getItem(PENDING) ?? '[]')).toContain(String(OPERATOR.id))
})
