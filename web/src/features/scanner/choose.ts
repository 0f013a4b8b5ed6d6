import type { Code, Decoded } from './decoder'

/** How many further pictures are looked through for a code that fits, after one that does not was read. */
const LOOK_AROUND = 3

/** Takes the code that fits what is looked for, else the first: a label beside the right one does not win by chance. */
export function createChooser(fits: ((text: string) => boolean) | undefined) {
  let first: Code | null = null
  let left = 0
  return {
    /** The code to take now, or whether to look at every code of the next picture. */
    choose({ codes }: Decoded): { code: Code | null; several: boolean } {
      const fitting = fits === undefined ? codes[0] : codes.find(({ text }) => fits(text))
      if (fitting !== undefined) return taken(fitting)
      if (first === null && codes[0] !== undefined) {
        first = codes[0]
        left = LOOK_AROUND
      } else if (first !== null) left--
      if (first !== null && left <= 0) return taken(first)
      return { code: null, several: first !== null }
    },
  }
  function taken(code: Code) {
    first = null
    return { code, several: false }
  }
}
