import { expect, test } from 'vitest'
import { isPasswordPromptCancelled, passwordPrompt, callWithPasswordPrompt } from './passwordPrompt'
import { ApiProblem } from './apiProblem'

/** Returns a call that is rejected until the password has been entered. */
function guarded() {
  let calls = 0
  return () => (++calls === 1 ? Promise.reject(new ApiProblem(403, 'CONFIRM_PASSWORD', '')) : Promise.resolve(calls))
}
const later = () => new Promise((next) => setTimeout(next))

test('calls that need the password at the same time share one dialog, and each is repeated once', async () => {
  const both = Promise.all([callWithPasswordPrompt(guarded()), callWithPasswordPrompt(guarded())])
  await later()
  passwordPrompt.get()?.confirmed()
  expect(await both).toEqual([2, 2])
  expect(passwordPrompt.get()).toBeNull()
})

test('a cancelled dialog differs from a rejected call, which opens no dialog', async () => {
  const given = callWithPasswordPrompt(guarded()).catch((error: unknown) => error)
  await later()
  passwordPrompt.get()?.cancelled()
  const refused = await callWithPasswordPrompt(() => Promise.reject(new ApiProblem(403, 'FORBIDDEN', ''))).catch((error: unknown) => error)
  expect([isPasswordPromptCancelled(await given), isPasswordPromptCancelled(refused), passwordPrompt.get()]).toEqual([true, false, null])
})
