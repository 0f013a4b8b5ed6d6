import { useState } from 'react'

/** Ids of the vehicles selected for a bulk action, with the functions that change the selection. */
export interface VehicleSelection {
  ids: ReadonlySet<number>
  toggle: (id: number) => void
  /** Selects vehicles, or removes them from the selection. */
  put: (ids: readonly number[], selected: boolean) => void
  clear: () => void
}

const NONE: ReadonlySet<number> = new Set()

export function useVehicleSelection(): VehicleSelection {
  const [ids, setIds] = useState(NONE)
  const put = (changed: readonly number[], selected: boolean) =>
    setIds((before) => {
      const after = new Set(before)
      for (const id of changed) {
        if (selected) after.add(id)
        else after.delete(id)
      }
      return after
    })
  return { ids, put, toggle: (id) => put([id], !ids.has(id)), clear: () => setIds(NONE) }
}
