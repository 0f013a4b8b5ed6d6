import { useEffect, useRef, useState } from 'react'
import type { InspectionForm } from './useInspectionForm'

/** Pause in milliseconds after which a typed identifier counts as complete, if it matches only this vehicle. */
const TYPING_PAUSE_MS = 600

type CollapsibleStep = 1 | 2

/**
 * Manages which of the inspection steps 1 (identification) and 2 (vehicle details) are collapsed. The steps can collapse only after the
 * vehicle has been identified by a scan or by typing.
 */
export function useCollapsedSteps({ identified }: InspectionForm) {
  const [collapsed, setCollapsed] = useState<CollapsibleStep[]>(() => (identified ? [1, 2] : []))
  const [wasCollapsed, setWasCollapsed] = useState(collapsed.length > 0)
  const afterRelease = useAfterRelease()
  const collapse = () => {
    setCollapsed([1, 2])
    setWasCollapsed(true)
  }
  return {
    collapse,
    /**
     * Expands both steps. Called on each change of the typed text, so that the steps stay expanded during typing even if the text already
     * matches.
     */
    expand: () => setCollapsed([]),
    /** Whether the steps have been collapsed at least once since the form was opened. */
    wasCollapsed,
    /** Collapses the steps once the pointer is released, unless the person is editing the vehicle's details. */
    collapseAfterRelease: () => afterRelease(() => document.activeElement?.matches('[data-step="2"] input') !== true && collapse()),
    isCollapsed: (step: CollapsibleStep) => identified && collapsed.includes(step),
    toggle: (step: CollapsibleStep) => setCollapsed(collapsed.includes(step) ? collapsed.filter((other) => other !== step) : [...collapsed, step]),
  }
}

export type CollapsedSteps = ReturnType<typeof useCollapsedSteps>

/**
 * Returns a function that delays the call of `act` until the pointer is released. If the layout changed between press and release, the
 * click could get lost or reach another button.
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
