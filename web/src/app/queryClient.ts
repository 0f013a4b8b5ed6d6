import { QueryCache, QueryClient } from '@tanstack/react-query'
import { lastSessionEndReason } from '@/api/client'
import { ApiProblem } from '@/api/apiProblem'
import { navigate } from '@/lib/route'
import { translate } from '@/lib/text'
import { showToast } from '@/ui/Toast'

const MAX_RETRIES = 2
/** HTTP statuses after which a query is retried: 0 for an unreachable server, the others for temporary server failures. */
const RETRYABLE = [0, 502, 503, 504]
const isRetryable = (error: Error) => error instanceof ApiProblem && RETRYABLE.includes(error.status)

/**
 * Query cache that shows a toast for a failed query if its `meta.failed` contains the translation key of a message. The toast is shown in
 * addition to the error on the page. A 401 response causes no toast, because it ends the session.
 */
const queryCache = new QueryCache({
  onError: (error, { meta }) => {
    const ended = error instanceof ApiProblem && error.status === 401
    if (meta?.failed !== undefined && !ended) showToast('error', translate(meta.failed))
  },
})

/** The query client (TanStack Query) that all pages of the app share. */
export const queryClient = new QueryClient({
  queryCache,
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      gcTime: 30 * 60_000,
      networkMode: 'always',
      retry: (failures, error) => failures < MAX_RETRIES && isRetryable(error),
    },
    mutations: { networkMode: 'always' },
  },
})

// When a session was revoked or has expired, the app returns to the sign-in.
lastSessionEndReason.subscribe(() => {
  queryClient.clear()
  navigate('/', { replace: true })
  showToast('error', translate(lastSessionEndReason.get() === 'ended' ? 'session.ended' : 'session.expired'))
})
