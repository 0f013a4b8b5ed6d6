/** Keys that come faster than this are typed by a hardware scanner. */
export const FAST_MS = 45
const SHORTEST = 5

export interface Typed {
  key: string
  at: number
}

/** Gathers fast keystrokes; Enter after enough of them makes a scan. */
export function createWedge() {
  let text = ''
  let last = 0
  return {
    /** The scan that this key ends, or null; `fast` says whether the key belongs to a run of them. */
    take({ key, at }: Typed): { scan: string | null; fast: boolean; first: boolean } {
      const fast = at - last <= FAST_MS
      last = at
      if (key === 'Enter') {
        const scan = fast && text.length >= SHORTEST ? text : null
        text = ''
        return { scan, fast, first: false }
      }
      if (key.length !== 1) {
        if (key !== 'Shift') text = ''
        return { scan: null, fast: fast && text !== '', first: false }
      }
      const first = !fast
      text = fast ? text + key : key
      return { scan: null, fast: text.length > 1, first }
    },
  }
}
