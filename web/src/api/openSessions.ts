import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { apiClient, unwrapResponse } from './client'
import { queryKeys } from './queryKeys'
import { ApiProblem } from './apiProblem'

/** Id of the user whose sessions are listed or ended; null for the signed-in person. */
type Whose = number | null

const sessionsQuery = (whose: Whose) =>
  queryOptions({
    queryKey: queryKeys.sessions(whose),
    queryFn: ({ signal }) => unwrapResponse(whose === null ? apiClient.GET('/me/sessions', { signal }) : apiClient.GET('/users/{id}/sessions', { params: { path: { id: whose } }, signal }), 'sessions*'),
    staleTime: 0,
  })

export const useOpenSessions = (whose: Whose) => useQuery({ ...sessionsQuery(whose), select: currentFirst })

type Sessions = NonNullable<Awaited<ReturnType<NonNullable<ReturnType<typeof sessionsQuery>['queryFn']>>>>
const currentFirst = ({ sessions }: Sessions) => sessions.toSorted((one, other) => Number(other.current) - Number(one.current))

/** Returns a mutation that ends the session with the given id. With null instead of an id, every session except the current one ends. */
export function useEndSession(whose: Whose) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (session: string | null) => (session === null ? endAll(whose) : endOne(whose, session)),
    onSettled: () => queries.invalidateQueries(sessionsQuery(whose)),
  })
}

const endAll = (whose: Whose): Promise<unknown> =>
  unwrapResponse(whose === null ? apiClient.DELETE('/me/sessions') : apiClient.DELETE('/users/{id}/sessions', { params: { path: { id: whose } } }))

async function endOne(whose: Whose, session: string): Promise<void> {
  const call = whose === null ? apiClient.DELETE('/me/sessions/{session}', { params: { path: { session } } }) : apiClient.DELETE('/users/{id}/sessions/{session}', { params: { path: { id: whose, session } } })
  await unwrapResponse(call).catch((error: unknown) => {
    if (!(error instanceof ApiProblem) || error.status !== 404) throw error // 404 means that the session has already ended
  })
}
