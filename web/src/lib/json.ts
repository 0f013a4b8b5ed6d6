export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns a type guard for arrays. The guard accepts an array when each of its items passes `accept`. */
export const createArrayGuard = <T>(accept: (value: unknown) => value is T) => (value: unknown): value is T[] => Array.isArray(value) && value.every(accept)

/** Parses JSON. Returns null when the text is not JSON or its value does not pass `accept`. */
export function parseJson<T>(text: string, accept: (value: unknown) => value is T): T | null {
  try {
    const value: unknown = JSON.parse(text)
    return accept(value) ? value : null
  } catch {
    return null
  }
}
