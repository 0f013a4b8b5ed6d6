/**
 * Returns a function that creates a value on the first call and returns the same value afterwards. Used for the formatters of `Intl`, which
 * are slow to create.
 */
export function createLazyGetter<T>(create: () => T): () => T {
  let created: { value: T } | null = null
  return () => (created ??= { value: create() }).value
}
