import { useCallback } from 'react'
import type { ListedVehicle } from '@/api/types'
import type { Match } from '@/lib/match'
import { useWholeList } from './api'
import { current, useIndex } from './useIndex'
import { findIn } from './verdict'

/** Finds what texts stand for in a campaign, as soon as its list is there. */
export function useFinding(campaign: number) {
  const list = useWholeList(campaign)
  const vehicles = list.data
  const index = useIndex(vehicles)
  const find = useCallback(
    (text: string): Match<ListedVehicle> | null =>
      index === null || vehicles === undefined ? null : current(findIn(text, index, vehicles), vehicles),
    [index, vehicles],
  )
  return { find, vehicles, isError: list.isError && vehicles === undefined, error: list.error, retry: () => void list.refetch() }
}

export type Finding = ReturnType<typeof useFinding>
