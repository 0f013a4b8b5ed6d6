import type { QueryClient } from '@tanstack/react-query'
import { createElement, lazy, useState, type ComponentType, type ReactNode } from 'react'

interface PageModule {
  default: ComponentType
  /**
   * Fetches the data of the page, so that the data arrives while the page is rendered for the first time. `id` is the id in the path, or
   * 0 for a path without an id.
   */
  prefetch?: (queries: QueryClient, id: number) => void
}

type Load = () => Promise<PageModule>

/** A page whose code is not part of the first download and is loaded when needed. */
export interface LazyPage {
  Page: ComponentType
  /** Loads the page's code ahead of the first render. */
  load: Load
}

/**
 * Creates a page whose code is loaded on first render, or earlier by `load`. After `load`, the page renders at once; React's `lazy` alone
 * would show a placeholder for at least a third of a second.
 */
export function createLazyPage(load: Load): LazyPage {
  let loaded: ComponentType | null = null
  const loadOnce: Load = async () => {
    const page = await load()
    loaded ??= page.default
    return { ...page, default: loaded }
  }
  const Lazy = lazy(loadOnce)
  function Page(): ReactNode {
    const [Shown] = useState<ComponentType>(() => loaded ?? Lazy)
    return createElement(Shown)
  }
  return { Page, load: loadOnce }
}

/**
 * Wraps the load function of a page. The new function also loads the app's outbox (store of unsent saves) and provides the outbox to
 * the page.
 */
export const withOutboxContext = (load: Load): Load => async () => {
  const [{ prefetch, default: Page }, { outbox, OutboxContext }] = await Promise.all([load(), import('./outboxAndLiveFeed')])
  return { prefetch, default: () => createElement(OutboxContext, { value: outbox }, createElement(Page)) }
}
