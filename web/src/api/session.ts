import { isRecord } from '@/lib/json'
import { createStore, useStore } from '@/lib/store'
import { readStoredJson, writeStoredJson } from '@/lib/storage'

/** The signed-in person, as returned by the server at the sign-in. */
export interface SessionUser {
  id?: number
  hmc: string
  user_type: string
}
export interface Session {
  /** Id of the session at the server. A call with this id can end the session without the session's token. */
  id: string
  token: string
  /** The person's key for encrypting saves on this device: 32 bytes as base64url. */
  encryptionKey: string
  user: SessionUser
}

const ID = 'SESSION_ID'
const TOKEN = 'JWT_TOKEN'
const ENCRYPTION_KEY = 'SEAL_KEY'
const USER = 'user'
const NAMES = [ID, TOKEN, ENCRYPTION_KEY, USER]
const RETURN = 'returnTo'

const isUser = (value: unknown): value is SessionUser =>
  isRecord(value) && typeof value.hmc === 'string' && typeof value.user_type === 'string'

/** Returns the session in the tab's web storage, or null if there is none. Clears the storage when the session is damaged. */
function stored(): Session | null {
  const [id, token, encryptionKey] = NAMES.map((name) => sessionStorage.getItem(name))
  const user = readStoredJson(sessionStorage, USER, isUser)
  if (id && token && encryptionKey && user !== null) return { id, token, encryptionKey, user }
  if (NAMES.some((name) => sessionStorage.getItem(name) !== null)) sessionStorage.clear()
  return null
}

const session = createStore<Session | null>(stored())

export const getCurrentSession = (): Session | null => session.get()
export const useSession = (): Session | null => useStore(session)

/** Whether the signed-in person must choose a new password. Until the password is changed, the server rejects most other calls. */
export const mustChangePassword = createStore(false)

/** Returns the owner key of the signed-in person, or null without a session. This device stores the person's data under the owner key. */
export function getCurrentDataOwnerKey(): string | null {
  const now = getCurrentSession()
  return now === null ? null : getDataOwnerKey(now.user)
}

/** Reads the session from web storage again, because code outside of this module may have changed the storage. */
export function reloadSession(): void {
  const now = stored()
  if (JSON.stringify(now) !== JSON.stringify(session.get())) session.set(now)
}

export function startSession(started: Session, mustChange = false): void {
  hasLeft = false
  sessionStorage.setItem(ID, started.id)
  sessionStorage.setItem(TOKEN, started.token)
  sessionStorage.setItem(ENCRYPTION_KEY, started.encryptionKey)
  writeStoredJson(sessionStorage, USER, started.user)
  mustChangePassword.set(mustChange)
  session.set(started)
}

export function endSessionAndKeepData(): void {
  for (const name of NAMES) sessionStorage.removeItem(name)
  session.set(null)
}

/**
 * Whether the current page may belong to a person who has signed out. If so, `saveReturnPath` saves nothing. True after a sign-out, and
 * after the back or forward button, which may show another person's page.
 */
let hasLeft = performance.getEntriesByType('navigation').some((entry) => entry instanceof PerformanceNavigationTiming && entry.type === 'back_forward')

/**
 * Ends the session after a sign-out or a revocation. Deletes all data of the session from this tab, including the return path (page to open
 * after the next sign-in).
 */
export function endSessionAndClearData(): void {
  sessionStorage.clear()
  hasLeft = true
  session.set(null)
}

/** Returns the owner key of a person, under which the person's data is stored on this device. */
export const getDataOwnerKey = (user: SessionUser): string => String(user.id ?? user.hmc)

interface Return {
  path: string
  owner: string | null
}
const isReturn = (value: unknown): value is Return => isRecord(value) && typeof value.path === 'string'

/**
 * Saves the current path as the page to open after the next sign-in of the person with the owner key `owner`. If `owner` is null, the
 * page opens for any person, and a path saved earlier is not overwritten.
 */
export function saveReturnPath(owner: string | null): void {
  const path = window.location.pathname + window.location.search
  const known = owner === null && sessionStorage.getItem(RETURN) !== null
  if (path !== '/' && !known && !hasLeft) writeStoredJson(sessionStorage, RETURN, { path, owner })
}

/**
 * Returns and deletes the return path (page to open after the sign-in). Returns null when no path is saved, or when the path was saved
 * for another person.
 */
export function popReturnPath(user: SessionUser): string | null {
  const remembered = readStoredJson(sessionStorage, RETURN, isReturn)
  sessionStorage.removeItem(RETURN)
  if (remembered === null) return null
  return remembered.owner === null || remembered.owner === getDataOwnerKey(user) ? remembered.path : null
}
