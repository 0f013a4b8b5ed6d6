const BLANK = /[\p{White_Space}\u2800]+/gu
const DASH = /[\p{Pd}\u02d7\u2043\u2212\u2796]/gu
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu
const PLAIN = /^([!-~]+( [!-~]+)*)?$/

/**
 * Replaces unusual dashes and spaces with plain ones, and removes invisible characters and outer spaces. Unicode normalization can produce
 * such characters again, so `normalizeText` also calls `cleaned` after each normalization.
 */
const cleaned = (text: string): string => text.replace(BLANK, ' ').replace(INVISIBLE, '').replace(/ +/g, ' ').trim().replace(DASH, '-')

/**
 * Normalizes a text. The default form 'NFKC' is for identifiers, parking spaces and login names (HMC), 'NFC' for all other names. The
 * server applies the same rules (see `proto/src/normalization.rs`).
 */
export function normalizeText(text: string, form: 'NFKC' | 'NFC' = 'NFKC'): string {
  return PLAIN.test(text) ? text : cleaned(cleaned(cleaned(text).normalize(form)).normalize(form))
}
