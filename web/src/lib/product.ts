import { createStore, useStore } from './store'

const NAME = 'productName'

/** What the page itself is called until a server or this device's memory says otherwise. */
const known = localStorage.getItem(NAME) ?? document.title.trim()
const product = createStore(known === '' ? 'Patio' : known)

/** Keeps the configured name, so that this device shows it before the next sign-in too. */
export function noteProduct(name: string): void {
  if (name === '' || name === product.get()) return
  localStorage.setItem(NAME, name)
  product.set(name)
}

export const useProduct = (): string => useStore(product)
