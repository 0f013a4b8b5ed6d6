import { createElement, lazy, useState, type ComponentType, type ReactNode } from 'react'

type Load = () => Promise<{ default: ComponentType }>

export interface LoadedPage {
  Page: ComponentType
  load: () => Promise<unknown>
}

/**
 * A screen whose code comes when it is first shown, or before.
 *
 * React keeps a placeholder once shown for a third of a second; a screen whose code is here already shows none.
 */
export function page(load: Load): LoadedPage {
  let here: ComponentType | null = null
  const fetched: Load = async () => {
    const loaded = await load()
    here = loaded.default
    return loaded
  }
  const Later = lazy(fetched)
  function Page(): ReactNode {
    const [Shown] = useState<ComponentType>(() => here ?? Later)
    return createElement(Shown)
  }
  return { Page, load: fetched }
}
