import { fill, useLanguage, useText, type Key, type Language, type Words } from '.'

type Other<K extends string> = Partial<Record<NoInfer<K>, string>>

/**
 * The texts of one feature, which come with its code and not with the sign-in.
 *
 * The mix is complete; the other languages hold what they say differently.
 */
export function featureText<K extends string>(mix: Record<K, string>, en: Other<K>, portuguese: Other<K>) {
  const catalogues: Record<Language, Record<K, string>> = { default: mix, en: { ...mix, ...en }, 'pt-BR': { ...mix, ...portuguese } }
  const isOwn = (key: string): key is K => Object.hasOwn(mix, key)

  /** The current words, the feature's own and those that every screen has. */
  function useFeatureText() {
    const language = useLanguage()
    const t = useText()
    return (key: K | Key, words?: Words): string => (isOwn(key) ? fill(catalogues[language][key], words) : t(key as Key, words))
  }
  return { catalogues, useFeatureText }
}
