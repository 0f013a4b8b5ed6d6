/** Returns an object as a type of which a test needs only some members. */
export const createFake = <T>(members: object): T => members as T

/** Returns a value that a test expects to be present. Throws when the value is null or undefined. */
export function expectPresent<T>(value: T | null | undefined): T {
  if (value === null || value === undefined) throw new Error('the value is missing')
  return value
}
