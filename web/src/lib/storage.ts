import { parseJson } from './json'

/** Reads a JSON value from web storage. Returns null when the value is missing or damaged, or when the browser forbids storage. */
export function readStoredJson<T>(storage: Storage, name: string, accept: (value: unknown) => value is T): T | null {
  try {
    return parseJson(storage.getItem(name) ?? 'null', accept)
  } catch {
    return null
  }
}

/**
 * Writes a value to web storage as JSON, or deletes the stored value when `value` is null. Does nothing when the storage is full or
 * forbidden.
 */
export function writeStoredJson(storage: Storage, name: string, value: unknown): void {
  try {
    if (value === null) storage.removeItem(name)
    else storage.setItem(name, JSON.stringify(value))
  } catch {
    // Only convenience is lost: no caller depends on the value being there.
  }
}
