import { createStore } from './store'
import { isRecord, readStored, writeStored } from './stored'

export const THEMES = ['system', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]
export interface Look {
  theme: Theme
  sun: boolean
}

const NAME = 'look'
const isLook = (value: unknown): value is Look =>
  isRecord(value) && THEMES.some((theme) => theme === value.theme) && typeof value.sun === 'boolean'

export const look = createStore<Look>(readStored(localStorage, NAME, isLook) ?? { theme: 'system', sun: false })

/** Puts the chosen look on the document, where the style sheets find it. */
export function showLook(): void {
  const { theme, sun } = look.get()
  const root = document.documentElement
  if (theme === 'system') delete root.dataset.theme
  else root.dataset.theme = theme
  if (sun) root.dataset.contrast = 'sun'
  else delete root.dataset.contrast
}

export function setLook(next: Look): void {
  writeStored(localStorage, NAME, next)
  look.set(next)
  showLook()
}
