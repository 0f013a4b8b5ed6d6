import { createStore, useStore } from '@/lib/store'
import { isRecord, readStored, writeStored } from '@/lib/stored'

export interface User {
  id?: number
  hmc: string
  user_type: string
}
export interface Session {
  token: string
  user: User
}

const TOKEN = 'JWT_TOKEN'
const USER = 'user'
const RETURN = 'returnTo'

const isUser = (value: unknown): value is User =>
  isRecord(value) && typeof value.hmc === 'string' && typeof value.user_type === 'string'

/** The session as web storage holds it; half of one, or a damaged one, is cleared. */
function stored(): Session | null {
  const token = sessionStorage.getItem(TOKEN)
  const user = readStored(sessionStorage, USER, isUser)
  if (token !== null && token !== '' && user !== null) return { token, user }
  if (token !== null || sessionStorage.getItem(USER) !== null) sessionStorage.clear()
  return null
}

function forget(): void {
  sessionStorage.removeItem(TOKEN)
  sessionStorage.removeItem(USER)
}

const session = createStore<Session | null>(stored())

export const currentSession = (): Session | null => session.get()
export const useSession = (): Session | null => useStore(session)

/** The key of who is signed in in this tab. */
export function currentOwner(): string | null {
  const now = currentSession()
  return now === null ? null : ownerOf(now.user)
}

/** Looks at web storage again, because a person or another script may have changed it. */
export function checkSession(): void {
  const now = stored()
  if (JSON.stringify(now) !== JSON.stringify(session.get())) session.set(now)
}

export function startSession(token: string, user: User): void {
  left = false
  sessionStorage.setItem(TOKEN, token)
  writeStored(sessionStorage, USER, user)
  session.set({ token, user })
}

export function endSession(): void {
  forget()
  session.set(null)
}

// The back button leads to screens of whoever was here before; they are not remembered for the next person.
let left = performance.getEntriesByType('navigation').some((entry) => entry instanceof PerformanceNavigationTiming && entry.type === 'back_forward')

/** Ends the session because its owner wants to: nothing of it stays in this tab, not even where it was. */
export function leaveSession(): void {
  sessionStorage.clear()
  left = true
  session.set(null)
}

/** The name under which what belongs to this person is kept on the device. */
export const ownerOf = (user: User): string => String(user.id ?? user.hmc)

interface Return {
  path: string
  owner: string | null
}
const isReturn = (value: unknown): value is Return => isRecord(value) && typeof value.path === 'string'

/** Remembers the screen to come back to after the next sign-in of its owner, or of anyone. */
export function rememberScreen(owner: string | null): void {
  const path = window.location.pathname + window.location.search
  const known = owner === null && sessionStorage.getItem(RETURN) !== null
  if (path !== '/' && !known && !left) writeStored(sessionStorage, RETURN, { path, owner })
}

/** The remembered screen, once, unless it was another person's. */
export function takeScreen(user: User): string | null {
  const remembered = readStored(sessionStorage, RETURN, isReturn)
  sessionStorage.removeItem(RETURN)
  if (remembered === null) return null
  return remembered.owner === null || remembered.owner === ownerOf(user) ? remembered.path : null
}
