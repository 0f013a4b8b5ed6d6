import { createStore, useStore } from '../store'
import { catalogue, type Catalogue, type Key } from './default'

export type { Key } from './default'

export const LANGUAGES = ['default', 'en', 'pt-BR'] as const
export type Language = (typeof LANGUAGES)[number]
export type Words = Record<string, string | number>
export type Translate = (key: Key, words?: Words) => string

const NAME = 'language'
const isLanguage = (value: string | null): value is Language => LANGUAGES.some((language) => language === value)

const load: Record<Language, () => Promise<Catalogue>> = {
  default: async () => catalogue,
  en: async () => (await import('./en')).catalogue,
  'pt-BR': async () => (await import('./pt-BR')).catalogue,
}

const current = createStore<{ language: Language; t: Translate }>({ language: 'default', t: translator(catalogue) })

const HOLE = /\{(\w+)(?:\|((?:[^|{}]|\{\w+\})*)\|((?:[^|{}]|\{\w+\})*))?\}/g

/** A text with its holes filled by words of the same names; `{n|vehicle|{n} vehicles}` is the first for one and else the second. */
export function fill(text: string, words: Words = {}): string {
  return text.replace(HOLE, (hole, name: string, one?: string, many?: string) =>
    one === undefined ? String(words[name] ?? hole) : fill(String(words[name]) === '1' ? one : String(many), words))
}

function translator(texts: Catalogue): Translate {
  return (key, words) => fill(texts[key], words)
}

/** Loads a language's catalogue and shows it; the choice is remembered on this device. */
export async function setLanguage(language: Language): Promise<void> {
  const texts = await load[language]()
  localStorage.setItem(NAME, language)
  document.documentElement.lang = language === 'en' ? 'en' : 'pt-BR'
  current.set({ language, t: translator(texts) })
}

/** Shows the remembered language, if one was chosen before. */
export async function restoreLanguage(): Promise<void> {
  const stored = localStorage.getItem(NAME)
  if (isLanguage(stored) && stored !== 'default') await setLanguage(stored)
}

export const useText = (): Translate => useStore(current).t
export const currentLanguage = (): Language => current.get().language
export const useLanguage = (): Language => useStore(current).language

/** The current words outside of components. */
export const translate: Translate = (key, words) => current.get().t(key, words)
