import { keepPreviousData, useQuery, type QueryKey } from '@tanstack/react-query'
import { useText } from '@/lib/text'
import { useIsServerReachable } from './connectivity'
import { getErrorMessage, ApiProblem } from './apiProblem'
import { useCancelAndRefetch } from './useCancelAndRefetch'

interface Page<E> {
  events: readonly E[]
  /** Cursor for fetching the next page; absent on the last page. */
  next?: string | null
}

/**
 * Fetches one page of the history of a vehicle, campaign or user. `isOffline` is true when the page is missing because the server is
 * unreachable. `why` is the error message, or null without an error.
 */
export function useHistoryPageQuery<E>(queryKey: QueryKey, load: (signal: AbortSignal) => Promise<Page<E>>) {
  const t = useText()
  const isOnline = useIsServerReachable()
  const { data, error, isPending } = useQuery({ queryKey, queryFn: ({ signal }) => load(signal), placeholderData: keepPreviousData, staleTime: 0 })
  const restart = useCancelAndRefetch(queryKey)
  return {
    page: data,
    isPending,
    isOffline: error instanceof ApiProblem ? error.status === 0 : isPending && !isOnline,
    why: error === null ? null : getErrorMessage(error, t),
    onRetry: () => void restart(),
  }
}
