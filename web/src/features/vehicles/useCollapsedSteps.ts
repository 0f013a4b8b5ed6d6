import { useEffect, useRef, useState } from 'react'
import type { InspectionForm } from './useInspectionForm'

/** Pause in milliseconds after which a typed identifier counts as complete, if it matches only this vehicle. */
const TYPING_PAUSE_MS = 600

type FoldingStep = 1 | 2

/**
 * Manages which of the inspection steps 1 (identification) and 2 (vehicle details) are collapsed. The steps can collapse only after the
 * vehicle has been identified by a scan or by typing.
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
    /**
     * Expands both steps. Called on each change of the typed text, so that the steps stay expanded during typing even if the text already
     * matches.
     */
    unfold: () => setFolded([]),
    /** Whether the steps have been collapsed at least once since the form was opened. */
    wasFolded,
    /** Collapses the steps once the pointer is released, unless the person is editing the vehicle's details. */
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
export function useOnTypingPause(text: string, fits: boolean, onPause: () => void): void {
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
