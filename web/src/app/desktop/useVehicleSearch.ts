import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { queryKeys } from '@/api/queryKeys'
import { searchVehicles, type VehicleSearchResult } from './searchVehicles'

const DEBOUNCE_MS = 250
/** Minimum number of characters that start a search. */
export const MIN_SEARCH_LENGTH = 2

export interface VehicleSearchState {
  typed: string
  /** Whether the typed text is long enough for a search. */
  isLong: boolean
  isLoading: boolean
  /** Result for the typed text; undefined until the search has ended. */
  found: VehicleSearchResult | undefined
  error: Error | null
  retry: () => void
  /** Searches all open campaigns for the typed text, instead of a limited number. */
  searchAll: () => void
}

/** Searches for a typed text after a pause in typing, with the campaign of the current page first. */
export function useVehicleSearch(text: string, enabled: boolean, campaign: number | null): VehicleSearchState {
  const queries = useQueryClient()
  const [searchedFully, setSearchedFully] = useState<string | null>(null)
  const typed = text.trim()
  const search = useDebounced(typed)
  const isLong = typed.length >= MIN_SEARCH_LENGTH
  const wanted = { text: search, campaign, all: search === searchedFully }
  const result = useQuery({
    queryKey: queryKeys.vehiclesEverywhere(wanted),
    queryFn: ({ signal }) => searchVehicles(queries, wanted, signal),
    enabled: enabled && search.length >= MIN_SEARCH_LENGTH,
    retry: false,
  })
  const isLoading = isLong && (search !== typed || result.isFetching)
  const hasEnded = isLong && !isLoading
  return {
    typed,
    isLong,
    isLoading,
    found: hasEnded ? result.data : undefined,
    error: hasEnded && result.isError ? result.error : null,
    retry: () => void result.refetch(),
    searchAll: () => setSearchedFully(search),
  }
}

/** Returns the debounced text: a change takes effect after a pause in typing, so that not every key press starts a search. */
function useDebounced(text: string): string {
  const [rested, setRested] = useState(text)
  useEffect(() => {
    const timer = setTimeout(setRested, DEBOUNCE_MS, text)
    return () => clearTimeout(timer)
  }, [text])
  return rested
}
