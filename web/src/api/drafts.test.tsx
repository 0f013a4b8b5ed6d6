import { act, cleanup, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, test } from 'vitest'
import { asUser, OPERATOR, SUPERVISOR } from '@/testing/show'
import { draftOf, forgetDrafts } from './drafts'
import { endSession, useSession } from './session'

const useEntry = draftOf('')

function Form() {
  const [text, setText] = useEntry()
  return <input aria-label="entry" value={text} onChange={(event) => setText(event.target.value)} />
}
const Guarded = () => (useSession() === null ? null : <Form />)
const shown = () => screen.getByLabelText<HTMLInputElement>('entry').value

afterEach(endSession)

test('an entry outlives the end of the session, for its owner only', async () => {
  asUser(OPERATOR)
  render(<Guarded />)
  await userEvent.type(screen.getByLabelText('entry'), 'half')
  act(endSession)
  expect(screen.queryByLabelText('entry')).toBeNull()
  act(() => asUser(SUPERVISOR))
  expect(shown()).toBe('')
  act(endSession)
  act(() => asUser(OPERATOR))
  expect(shown()).toBe('half')
})

test('it does not outlive leaving the screen or signing out', async () => {
  asUser(OPERATOR)
  render(<Guarded />)
  await userEvent.type(screen.getByLabelText('entry'), 'half')
  cleanup()
  render(<Guarded />)
  expect(shown()).toBe('')
  await userEvent.type(screen.getByLabelText('entry'), 'half')
  act(() => {
    endSession()
    forgetDrafts()
  })
  act(() => asUser(OPERATOR))
  expect(shown()).toBe('')
})
