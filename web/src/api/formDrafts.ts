import { useEffect, useState, type Dispatch, type SetStateAction } from 'react'
import { getCurrentDataOwnerKey } from './session'

const registry: Map<string, unknown>[] = []

/**
 * Creates a hook that holds the draft of one form: what a person has entered and not yet submitted.
 * The draft is kept when the session ends, and restored when the same person signs in again. The draft is deleted when the person leaves
 * the screen or signs out. The draft stays in memory only, because it may contain passwords.
 */
export function createFormDraftHook<T>(empty: T) {
  const drafts = new Map<string, T>()
  registry.push(drafts)

  return function useDraft(): [T, Dispatch<SetStateAction<T>>] {
    const [owner] = useState(ownerNow)
    const [entry, setEntry] = useState(() => drafts.get(owner) ?? empty)
    useEffect(() => {
      drafts.set(owner, entry)
      return () => {
        if (ownerNow() === owner) drafts.delete(owner)
      }
    }, [owner, entry])
    return [entry, setEntry]
  }
}

const ownerNow = (): string => getCurrentDataOwnerKey() ?? ''

/** Deletes the drafts of every form and person. */
export function clearFormDrafts(): void {
  for (const drafts of registry) drafts.clear()
}
