import { isRecord } from './json'
import { readStoredJson, writeStoredJson } from './storage'
import { createStore } from './store'

export const THEMES = ['system', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]
/** Appearance of the app that the person has chosen on this device. */
export interface Appearance {
  theme: Theme
  /** Whether contrast is increased for use in sunlight. */
  highContrast: boolean
}

const NAME = 'look'
const isAppearance = (value: unknown): value is Appearance =>
  isRecord(value) && THEMES.some((theme) => theme === value.theme) && typeof value.highContrast === 'boolean'

/** The chosen appearance, stored on this device. */
export const appearance = createStore<Appearance>(readStoredJson(localStorage, NAME, isAppearance) ?? { theme: 'system', highContrast: false })

/** Writes the chosen appearance to data attributes of the document's root element, which the style sheets use. */
export function applyAppearance(): void {
  const { theme, highContrast } = appearance.get()
  const root = document.documentElement
  if (theme === 'system') delete root.dataset.theme
  else root.dataset.theme = theme
  if (highContrast) root.dataset.contrast = 'sun'
  else delete root.dataset.contrast
}

export function setAppearance(next: Appearance): void {
  writeStoredJson(localStorage, NAME, next)
  appearance.set(next)
  applyAppearance()
}
