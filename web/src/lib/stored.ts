/** JSON in web storage; a damaged or forbidden storage reads as nothing and never throws. */
export function readStored<T>(storage: Storage, name: string, accept: (value: unknown) => value is T): T | null {
  try {
    const value: unknown = JSON.parse(storage.getItem(name) ?? 'null')
    return accept(value) ? value : null
  } catch {
    return null
  }
}

export function writeStored(storage: Storage, name: string, value: unknown): void {
  try {
    if (value === null) storage.removeItem(name)
    else storage.setItem(name, JSON.stringify(value))
  } catch {
    // A full or forbidden storage only costs the convenience that it would have given.
  }
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
