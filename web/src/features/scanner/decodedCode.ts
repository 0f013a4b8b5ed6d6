import type { Point } from './pixels'

/** A decoded code with its corners in frame coordinates. */
export interface DecodedCode {
  text: string
  format: string
  corners: Point[]
}

/** Code with doubtful characters from a blurred-code pass, with the alternative texts that are nearly as likely. */
export interface DoubtfulCode {
  code: DecodedCode
  alternatives: string[]
}

/** Returns whether two readings are of the same printed code: the same text, with corners that lie closer together than the size of the code. */
function isSameCode(one: DecodedCode, other: DecodedCode): boolean {
  if (one.text !== other.text || one.format !== other.format) return false
  const [{ corners: [a, , c] }, { corners: [d] }] = [one, other]
  return !a || !c || !d || Math.hypot(a.x - d.x, a.y - d.y) < Math.hypot(a.x - c.x, a.y - c.y)
}

/** Adds a code to a list, unless the list already contains the same printed code. */
export function addDistinctCode(codes: DecodedCode[], code: DecodedCode): DecodedCode[] {
  if (!codes.some((known) => isSameCode(known, code))) codes.push(code)
  return codes
}
