import { apiClient, unwrapResponse } from './client'
import type { Session } from './session'

export interface Credentials {
  hmc: string
  password: string
}

/** Starts a session at the server and returns it. `mustChange` is true when the person has to choose a new password first. */
export async function signIn(body: Credentials): Promise<{ session: Session; mustChange: boolean }> {
  const begun = await unwrapResponse(apiClient.POST('/sessions', { body }), 'token$ id# hmc$ user_type$ session_id$ seal_key$')
  const { token, session_id, seal_key, must_change_password, id, hmc, user_type } = begun
  return { session: { id: session_id, token, encryptionKey: seal_key, user: { id, hmc, user_type } }, mustChange: must_change_password }
}
