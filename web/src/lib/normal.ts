const BLANK = /[\p{White_Space}\u2800]+/gu
const DASH = /[\p{Pd}\u02d7\u2043\u2212\u2796]/gu
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu
const PLAIN = /^([!-~]+( [!-~]+)*)?$/

/** One round: dashes and blanks replaced, what is invisible left out, no blank at either end. */
const settled = (text: string): string => text.replace(BLANK, ' ').replace(INVISIBLE, '').replace(/ +/g, ' ').trim().replace(DASH, '-')

/**
 * The normal form of identifiers, spaces and register numbers; of names with 'NFC'. `proto/src/normal.rs` has the same rules
 * and says why.
 */
export function normal(text: string, form: 'NFKC' | 'NFC' = 'NFKC'): string {
  return PLAIN.test(text) ? text : settled(settled(settled(text).normalize(form)).normalize(form))
}
