import { useEffect, useRef, useState } from 'react'
import type { InspectionForm } from './useInspectionForm'

/** Pause in milliseconds after the last key that ends the typing of an identifier which fits only this vehicle. */
const TYPING_PAUSE_MS = 600

type FoldingStep = 1 | 2

/**
 * Manages which steps of the inspection are collapsed. Steps 1 and 2 can collapse only after the vehicle has been identified by a scan
 * or by typing.
 */
export function useCollapsedSteps({ identified }: InspectionForm) {
  const [folded, setFolded] = useState<FoldingStep[]>(() => (identified ? [1, 2] : []))
  const [wasFolded, setWasFolded] = useState(folded.length > 0)
  const afterRelease = useAfterRelease()
  const fold = () => {
    setFolded([1, 2])
    setWasFolded(true)
  }
  return {
    fold,
    /** Opens the steps while the person types, so that the first character that fits does not collapse them. */
    unfold: () => setFolded([]),
    /** Whether the steps have been collapsed before, so that an open step was opened by the person. */
    wasFolded,
    /** Collapses the steps once no button is being pressed, unless the person is editing the vehicle's details. */
    foldAfterRelease: () => afterRelease(() => document.activeElement?.matches('[data-step="2"] input') !== true && fold()),
    isFolded: (step: FoldingStep) => identified && folded.includes(step),
    toggle: (step: FoldingStep) => setFolded(folded.includes(step) ? folded.filter((other) => other !== step) : [...folded, step]),
  }
}

export type CollapsedSteps = ReturnType<typeof useCollapsedSteps>

/**
 * Returns a function that calls `act` after the pointer is released. A layout that moves between press and release would swallow the
 * click, or pass the click to another button.
 */
function useAfterRelease() {
  const isDown = useRef(false)
  const waiting = useRef<(() => void) | null>(null)
  useEffect(() => {
    const press = () => void (isDown.current = true)
    const release = () => {
      isDown.current = false
      const act = waiting.current
      waiting.current = null
      if (act !== null) setTimeout(act) // the click follows the release
    }
    document.addEventListener('pointerdown', press)
    document.addEventListener('pointerup', release)
    document.addEventListener('pointercancel', release)
    return () => {
      document.removeEventListener('pointerdown', press)
      document.removeEventListener('pointerup', release)
      document.removeEventListener('pointercancel', release)
    }
  }, [])
  return (act: () => void) => {
    if (isDown.current) waiting.current = act
    else setTimeout(act) // touch screens report the release before the change of focus, and the click after it
  }
}

/**
 * Calls `onPause` once after each typed text that fits only this vehicle and has not changed for `TYPING_PAUSE_MS`. The initial text, such
 * as a restored draft, counts as typed only after a change.
 */
export function useTypingPause(text: string, fits: boolean, onPause: () => void): void {
  const act = useRef(onPause)
  const initial = useRef<string | null>(text)
  useEffect(() => {
    act.current = onPause
  })
  useEffect(() => {
    if (text !== initial.current) initial.current = null
    const timer = fits && text !== '' && initial.current === null ? setTimeout(() => act.current(), TYPING_PAUSE_MS) : undefined
    return () => clearTimeout(timer)
  }, [text, fits])
}
