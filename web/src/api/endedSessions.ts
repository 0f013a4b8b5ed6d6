import { createArrayGuard } from '@/lib/json'
import { readStoredJson, writeStoredJson } from '@/lib/storage'
import { apiClient, unwrapEmptyResponse } from './client'
import { serverReachability } from './connectivity'
import { ApiProblem } from './apiProblem'
import type { Session } from './session'

const NAME = 'endedSessions'
const MAX_IDS = 20
/**
 * HTTP status codes with which the server rejects reported session ids as invalid. These ids are removed from this device, because a
 * retry is useless.
 */
const FINAL = [400, 422]

const isIds = createArrayGuard((id): id is string => typeof id === 'string')

/** Returns the ids of sessions that people have signed out of on this device and that may still be open at the server. */
const pending = (): string[] => readStoredJson(localStorage, NAME, isIds) ?? []
const store = (ids: string[]) => writeStoredJson(localStorage, NAME, ids.length === 0 ? null : ids.slice(-MAX_IDS))
const remove = (ids: string[]) => store(pending().filter((id) => !ids.includes(id)))

/** Ends a session at the server. The session's id stays on this device until the server has confirmed the end of the session. */
export async function endSessionOnServer({ id, token }: Session): Promise<void> {
  store([...pending(), id])
  await unwrapEmptyResponse(apiClient.DELETE('/sessions', { headers: { authorization: `Bearer ${token}` } }))
  remove([id])
}

let reporting: Promise<void> | null = null

/**
 * Asks the server to end the sessions that people signed out of on this device while the server was unreachable. Concurrent calls share
 * one request.
 */
export function reportEndedSessions(): Promise<void> {
  reporting ??= report().finally(() => {
    reporting = null
  })
  return reporting
}

async function report(): Promise<void> {
  const session_ids = pending()
  if (session_ids.length === 0) return
  try {
    await unwrapEmptyResponse(apiClient.POST('/sessions/ended', { body: { session_ids } }))
  } catch (error) {
    if (!(error instanceof ApiProblem) || !FINAL.includes(error.status)) return // the ids are reported again at the next contact with the server
  }
  remove(session_ids)
}

/** Reports ended sessions to the server now, and again whenever a call reaches the server after a failure or the browser goes online. */
export function startReportingEndedSessions(): void {
  void reportEndedSessions()
  serverReachability.subscribe(() => serverReachability.get() && void reportEndedSessions())
  window.addEventListener('online', () => void reportEndedSessions())
}
