import { createStore } from '@/lib/store'
import { ApiProblem } from './apiProblem'

/**
 * Callbacks of the open password dialog: `confirmed` is called after the person has entered the password, `cancelled` after the person
 * has cancelled the dialog.
 */
export interface PasswordPrompt {
  confirmed: () => void
  cancelled: () => void
}

/** The open password dialog; null while no call waits for the password. */
export const passwordPrompt = createStore<PasswordPrompt | null>(null)

const CANCELLED = 'NOT_CONFIRMED'

/** Returns whether a call failed because the person cancelled the password dialog. */
export const isPasswordPromptCancelled = (error: unknown): boolean => error instanceof ApiProblem && error.code === CANCELLED

/** Makes an API call. When the server requires the person's password, opens the password dialog and repeats the call once. */
export async function callWithPasswordPrompt<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    if (!(error instanceof ApiProblem) || error.code !== 'CONFIRM_PASSWORD') throw error
    await passwordEntered()
    return await call()
  }
}

let entering: Promise<void> | null = null

/** Opens the password dialog, or waits for the dialog that another call has opened. Rejects when the person cancels the dialog. */
function passwordEntered(): Promise<void> {
  entering ??= new Promise<void>((resolve, reject) => {
    passwordPrompt.set({ confirmed: resolve, cancelled: () => reject(new ApiProblem(0, CANCELLED, '')) })
  }).finally(() => {
    entering = null
    passwordPrompt.set(null)
  })
  return entering
}
