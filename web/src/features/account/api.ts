import { useMutation } from '@tanstack/react-query'
import { done, http } from '@/api/client'
import { download } from '@/api/files'

export const useChangeOwnPassword = () =>
  useMutation({ mutationFn: (body: { old: string; new: string }) => done(http.PUT('/me/password', { body })) })

/** Fetches all that the product holds about who is signed in. */
export const useOwnData = () => useMutation({ mutationFn: () => download('/me/data', 'my-data.json') })
