import { useQueryClient, type QueryKey } from '@tanstack/react-query'

/**
 * Returns a function that aborts the running request of a query and sends a new one. The query's own `refetch` does not abort a first
 * request that hangs.
 */
export function useCancelAndRefetch(queryKey: QueryKey): () => Promise<void> {
  const queries = useQueryClient()
  return async () => {
    await queries.cancelQueries({ queryKey, exact: true })
    await queries.refetchQueries({ queryKey, exact: true })
  }
}
