import { createElement, lazy, useState, type ComponentType, type ReactNode } from 'react'

type Load = () => Promise<{ default: ComponentType }>

/** A page whose code is not part of the first download and is loaded when needed. */
export interface LazyPage {
  Page: ComponentType
  /** Loads the page's code ahead of the first render. */
  load: () => Promise<unknown>
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
    return { default: loaded }
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
  const [page, { outbox, OutboxContext }] = await Promise.all([load(), import('./outboxAndLiveFeed')])
  return { default: () => createElement(OutboxContext, { value: outbox }, createElement(page.default)) }
}
