import { useMutation } from '@tanstack/react-query'
import { expireSession, apiClient, unwrapEmptyResponse, runSessionRenewal } from '@/api/client'
import { downloadFile } from '@/api/files'
import { ApiProblem } from '@/api/apiProblem'
import { getCurrentSession, startSession } from '@/api/session'
import { signIn } from '@/api/signIn'

/** Changes the person's own password. The server then ends all sessions of the person, so the hook signs in again with the new password. */
export const useChangePassword = () => useMutation({ mutationFn: (body: { old: string; new: string }) => runSessionRenewal(() => change(body)) })

async function change(body: { old: string; new: string }): Promise<void> {
  const before = getCurrentSession()
  await unwrapEmptyResponse(apiClient.PUT('/me/password', { body }))
  if (before === null) return
  try {
    startSession((await signIn({ hmc: before.user.hmc, password: body.new })).session)
  } catch {
    expireSession() // the password was changed, but the new session could not be started
  }
}

/** Confirms the person's own password, so that the server accepts this session's sensitive calls for a limited time. */
export const useConfirmPassword = () => useMutation({ mutationFn: (password: string) => unwrapEmptyResponse(apiClient.POST('/me/confirm', { body: { password } })) })

export const isWrongPasswordError = (error: Error): boolean => error instanceof ApiProblem && error.code === 'WRONG_PASSWORD'

/** Downloads all personal data of the signed-in person as a JSON file. */
export const useDownloadPersonalData = () => useMutation({ mutationFn: () => downloadFile('/me/data', 'my-data.json') })
