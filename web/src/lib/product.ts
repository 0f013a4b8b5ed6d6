import { createStore, useStore } from './store'

const NAME = 'productName'

/** Product name that this device has stored; without a stored name, the title of the page. */
const known = localStorage.getItem(NAME) ?? document.title.trim()
const product = createStore(known === '' ? 'Patio' : known)

/** Stores the configured product name on this device, to show it before the next sign-in. */
export function storeProductName(name: string): void {
  if (name === '' || name === product.get()) return
  localStorage.setItem(NAME, name)
  product.set(name)
}

export const useStoredProductName = (): string => useStore(product)
