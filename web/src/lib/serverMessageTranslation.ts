import { AUDIT_SUMMARY_TRANSLATIONS } from './auditSummaries'
import { FIELD_ERROR_TRANSLATIONS, SERVER_MESSAGE_TRANSLATIONS, PLACEHOLDER_VALUE_TRANSLATIONS } from './serverMessages'

/** All server messages with a Portuguese translation. Specific messages precede general ones, because the first match is used. */
export const ALL_SERVER_TRANSLATIONS = [...SERVER_MESSAGE_TRANSLATIONS, ...AUDIT_SUMMARY_TRANSLATIONS, ...FIELD_ERROR_TRANSLATIONS]

const HOLE = /\{(\d)\}/g

interface Sentence {
  pattern: RegExp
  /** Placeholder number of each capture group of `pattern`, in the order of the groups. */
  holes: number[]
  /** The Portuguese translation, with the same placeholders as the English sentence. */
  words: string
}

let known: Sentence[] | null = null

function sentences(): Sentence[] {
  known ??= ALL_SERVER_TRANSLATIONS.map(([english, words]) => {
    const text = english.replaceAll(/[.*+?^$()|[\]\\]/g, String.raw`\$&`)
    return { pattern: new RegExp(`^${text.replaceAll(HOLE, '([^]*?)')}$`), holes: [...english.matchAll(HOLE)].map(([, n]) => Number(n)), words }
  })
  return known
}

/** Matches a server message that begins with the name of a request field, such as `name: …`. */
const FIELD = /^(?:base\.)?([a-z_]+): ([^]+)$/

/** Translates a server message to Portuguese. Returns null for an unknown message. */
export function translateToPortuguese(sentence: string): string | null {
  const [, field, why] = FIELD.exec(sentence) ?? []
  if (field !== undefined && why !== undefined) return translateToPortuguese(why) ?? translateToPortuguese(`The ${field} ${why}.`)
  return ofSeveralFields(sentence) ?? ofOne(sentence)
}

/**
 * Translates a server message with one sentence per field, each beginning with `The`. Returns null for a single sentence, or if any
 * sentence is unknown.
 */
function ofSeveralFields(text: string): string | null {
  const parts = text.split(/\. (?=The )/)
  const translated = parts.map((part, index) => ofOne(index < parts.length - 1 ? `${part}.` : part))
  return parts.length > 1 && !translated.includes(null) ? translated.join(' ') : null
}

function ofOne(sentence: string): string | null {
  for (const { pattern, holes, words } of sentences()) {
    const found = pattern.exec(sentence)
    if (found === null) continue
    const filled = new Map(holes.map((hole, index) => [hole, valueIn(found[index + 1] ?? '')]))
    const text = words.replaceAll(HOLE, (_, n: string) => filled.get(Number(n)) ?? '')
    return /^[a-z]/.test(sentence) ? text : text.charAt(0).toUpperCase() + text.slice(1)
  }
  return null
}

const wordFor = (text: string): string | undefined => PLACEHOLDER_VALUE_TRANSLATIONS[text] ?? PLACEHOLDER_VALUE_TRANSLATIONS[text.replace(/^the /i, '').replaceAll('_', ' ')]

/** Translates the value of a placeholder: a word, a list of words or a sentence. Returns an unknown value unchanged. */
function valueIn(text: string): string {
  const core = text.trim()
  const list = core.split(', ').map(wordFor)
  const translated = list.includes(undefined) ? (core.includes(' ') ? translateToPortuguese(core) : null) : list.join(', ')
  return text.replace(core, () => translated ?? core)
}

/**
 * Matches the server messages that stay in English in the language 'default'. The product specification prescribes the English text of
 * these messages.
 */
const QUOTED = /^line \d+ requires both Model Code and Serial Number$|^Failed to select document\./

/**
 * Translates a server message to the page's language. If the message stays in English or has no translation, returns the English message
 * without a leading field name.
 */
export function translateServerMessageToLanguage(language: string, sentence: string): string {
  if (language === 'en' || (language === 'default' && QUOTED.test(sentence))) return withoutField(sentence)
  return translateToPortuguese(sentence) ?? withoutField(sentence)
}

/** Removes a leading field name, such as `name: `, from a message whose remaining text begins with a capital letter. */
const withoutField = (sentence: string): string => sentence.replace(/^(?:base\.)?[a-z_]+: (?=[A-Z])/, '')
