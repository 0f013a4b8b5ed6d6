import { useEffect, useState, type Dispatch, type SetStateAction } from 'react'
import { currentOwner } from './session'

const registry: Map<string, unknown>[] = []

/**
 * What a person has entered in one form and not yet sent.
 *
 * It outlives the end of the session, so that it is there again after the same person signs in anew; it does not
 * outlive leaving the screen or signing out. It is kept in memory only, because some of it is secret.
 */
export function draftOf<T>(empty: T) {
  const kept = new Map<string, T>()
  registry.push(kept)

  return function useDraft(): [T, Dispatch<SetStateAction<T>>] {
    const [owner] = useState(whoIsIn)
    const [entry, setEntry] = useState(() => kept.get(owner) ?? empty)
    useEffect(() => {
      kept.set(owner, entry)
      return () => {
        if (whoIsIn() === owner) kept.delete(owner)
      }
    }, [owner, entry])
    return [entry, setEntry]
  }
}

const whoIsIn = (): string => currentOwner() ?? ''

/** Forgets every entry, because its owner signs out. */
export function forgetDrafts(): void {
  for (const kept of registry) kept.clear()
}
