import { createLazyGetter } from '../createLazyGetter'
import { createStore, useStore } from '../store'
import { catalogue, type Catalogue, type TextKey } from './default'

export type { TextKey } from './default'

export const LANGUAGES = ['default', 'en', 'pt-BR'] as const
export type Language = (typeof LANGUAGES)[number]
export type PlaceholderValues = Record<string, string | number>
export type Translate = (key: TextKey, words?: PlaceholderValues) => string

const NAME = 'language'
const isLanguage = (value: string | null): value is Language => LANGUAGES.some((language) => language === value)

const load: Record<Language, () => Promise<Catalogue>> = {
  default: async () => catalogue,
  en: async () => (await import('./en')).catalogue,
  'pt-BR': async () => (await import('./pt-BR')).catalogue,
}

const current = createStore<{ language: Language; t: Translate }>({ language: 'default', t: translator(catalogue) })

const HOLE = /\{(\w+)(?:\|((?:[^|{}]|\{\w+\})*)\|((?:[^|{}]|\{\w+\})*))?\}/g

/** Plural rules of both languages: only 1 is singular. The rules of pt-BR would also give 0 the singular form. */
const plurals = createLazyGetter(() => new Intl.PluralRules('pt-PT'))

/** Returns whether a count, which may contain group separators, takes the singular form. */
const isSingular = (count: unknown): boolean => plurals().select(Number(String(count).replaceAll(/\D/g, ''))) === 'one'

/**
 * Replaces each `{name}` in a text by the value of that name in `words`. `{n|vehicle|{n} vehicles}` is replaced by its singular or its
 * plural form, depending on `n`.
 */
export function fillPlaceholders(text: string, words: PlaceholderValues = {}): string {
  return text.replace(HOLE, (hole, name: string, one?: string, many?: string) =>
    one === undefined ? String(words[name] ?? hole) : fillPlaceholders(isSingular(words[name]) ? one : String(many), words))
}

function translator(texts: Catalogue): Translate {
  return (key, words) => fillPlaceholders(texts[key], words)
}

/** Loads the text catalogue of a language, switches the page to this language, and stores the choice on this device. */
export async function setLanguage(language: Language): Promise<void> {
  const texts = await load[language]()
  localStorage.setItem(NAME, language)
  document.documentElement.lang = language === 'en' ? 'en' : 'pt-BR'
  current.set({ language, t: translator(texts) })
}

/** Switches the page to the language that is stored on this device, if any. */
export async function restoreLanguage(): Promise<void> {
  const stored = localStorage.getItem(NAME)
  if (isLanguage(stored) && stored !== 'default') await setLanguage(stored)
}

export const useText = (): Translate => useStore(current).t
export const getCurrentLanguage = (): Language => current.get().language
export const useLanguage = (): Language => useStore(current).language

/** Translates a key into the current language, outside of React components. */
export const translate: Translate = (key, words) => current.get().t(key, words)
