const BLANK = /[\p{White_Space}\u2800]+/gu
const DASH = /[\p{Pd}\u02d7\u2043\u2212\u2796]/gu
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu
const PLAIN = /^([!-~]+( [!-~]+)*)?$/

/**
 * Applies the normalization rules once to a text: replaces unusual dashes and spaces, and removes invisible characters and spaces at both
 * ends.
 */
const cleaned = (text: string): string => text.replace(BLANK, ' ').replace(INVISIBLE, '').replace(/ +/g, ' ').trim().replace(DASH, '-')

/**
 * Returns the normal form of an identifier, a parking space or a login name (HMC). Use the Unicode form 'NFC' for names. The server applies
 * the same rules, which `proto/src/normalization.rs` explains.
 */
export function normalizeText(text: string, form: 'NFKC' | 'NFC' = 'NFKC'): string {
  return PLAIN.test(text) ? text : cleaned(cleaned(cleaned(text).normalize(form)).normalize(form))
}
