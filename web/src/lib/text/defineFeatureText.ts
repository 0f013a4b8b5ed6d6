import { fillPlaceholders, useLanguage, useText, type TextKey, type Language, type PlaceholderValues } from '.'

type Other<K extends string> = Partial<Record<NoInfer<K>, string>>

/**
 * Defines the texts of one feature, which are loaded with the code of that feature and not with the first page. `mix` has every text of the
 * feature as in the default catalogue (English labels, Portuguese messages); `en` and `portuguese` have only the texts that differ from
 * `mix`.
 */
export function defineFeatureText<K extends string>(mix: Record<K, string>, en: Other<K>, portuguese: Other<K>) {
  const catalogues: Record<Language, Record<K, string>> = { default: mix, en: { ...mix, ...en }, 'pt-BR': { ...mix, ...portuguese } }
  const isShared = (key: K | TextKey): key is TextKey => !Object.hasOwn(mix, key)

  /** Returns a function that translates the keys of this feature and of the shared catalogue into the current language. */
  function useFeatureText() {
    const language = useLanguage()
    const t = useText()
    return (key: K | TextKey, words?: PlaceholderValues): string => (isShared(key) ? t(key, words) : fillPlaceholders(catalogues[language][key], words))
  }
  return { catalogues, useFeatureText }
}
