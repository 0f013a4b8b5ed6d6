import { notifyManager, useQueryClient } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'

/** Returns data that a page has loaded into the query cache, or undefined when the cache lacks the data. Sends no request. */
export function useCachedQueryData<T>(queryKey: readonly unknown[]): T | undefined {
  const queries = useQueryClient()
  return useSyncExternalStore(
    (changed) => queries.getQueryCache().subscribe(notifyManager.batchCalls(changed)),
    () => queries.getQueryData<T>(queryKey),
  )
}
