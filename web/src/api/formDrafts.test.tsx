import { act, cleanup, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, test } from 'vitest'
import { signInAs, OPERATOR, SUPERVISOR } from '@/testing/renderPage'
import { createFormDraftHook, clearFormDrafts } from './formDrafts'
import { endSessionAndKeepData, useSession } from './session'

const useEntry = createFormDraftHook('')

function Form() {
  const [text, setText] = useEntry()
  return <input aria-label="entry" value={text} onChange={(event) => setText(event.target.value)} />
}
const Guarded = () => (useSession() === null ? null : <Form />)
const shown = () => screen.getByLabelText<HTMLInputElement>('entry').value

afterEach(endSessionAndKeepData)

test('a draft survives the end of the session, for its owner only', async () => {
  signInAs(OPERATOR)
  render(<Guarded />)
  await userEvent.type(screen.getByLabelText('entry'), 'half')
  act(endSessionAndKeepData)
  expect(screen.queryByLabelText('entry')).toBeNull()
  act(() => signInAs(SUPERVISOR))
  expect(shown()).toBe('')
  act(endSessionAndKeepData)
  act(() => signInAs(OPERATOR))
  expect(shown()).toBe('half')
})

test('a draft is deleted when the person leaves the screen or signs out', async () => {
  signInAs(OPERATOR)
  render(<Guarded />)
  await userEvent.type(screen.getByLabelText('entry'), 'half')
  cleanup()
  render(<Guarded />)
  expect(shown()).toBe('')
  await userEvent.type(screen.getByLabelText('entry'), 'half')
  act(() => {
    endSessionAndKeepData()
    clearFormDrafts()
  })
  act(() => signInAs(OPERATOR))
  expect(shown()).toBe('')
})
