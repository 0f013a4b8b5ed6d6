import { QueryCache, QueryClient } from '@tanstack/react-query'
import { expirations } from '@/api/client'
import { Problem } from '@/api/problem'
import { navigate } from '@/lib/route'
import { translate } from '@/lib/text'
import { toast } from '@/ui/Toast'

const TRIES = 2
const worthAnotherTry = (error: Error) =>
  error instanceof Problem && (error.status === 0 || error.status === 503 || error.status >= 500)

/** A list that could not be loaded is told of by a toast too, beside the words on its screen. */
const told = new QueryCache({
  onError: (error, { meta }) => {
    const ended = error instanceof Problem && error.status === 401
    if (meta?.failed !== undefined && !ended) toast('error', translate(meta.failed))
  },
})

export const queries = new QueryClient({
  queryCache: told,
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      gcTime: 30 * 60_000,
      networkMode: 'always',
      retry: (failures, error) => failures < TRIES && worthAnotherTry(error),
    },
    mutations: { networkMode: 'always' },
  },
})

expirations.subscribe(() => {
  queries.clear()
  navigate('/', { replace: true })
  toast('error', translate('session.expired'))
})
