import { useEffect, useRef } from 'react'
import { createWedge } from '@/lib/wedge'

type Typed = HTMLInputElement | HTMLTextAreaElement
const isTyped = (target: EventTarget | null): target is Typed => target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement

/** Puts back what stood in a field before a scanner typed into it. */
function restore(field: Typed, value: string): void {
  const setter = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field) as object, 'value')?.set
  setter?.call(field, value)
  field.dispatchEvent(new Event('input', { bubbles: true }))
}

/** Takes what a hardware scanner types, wherever the focus is: fast keys ended by Enter. */
export function useWedge(onScan: (text: string) => void): void {
  const latest = useRef(onScan)
  useEffect(() => {
    latest.current = onScan
  })
  useEffect(() => {
    const wedge = createWedge()
    let before: { field: Typed; value: string } | null = null
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return
      const { target } = event
      const { scan, fast, first } = wedge.take({ key: event.key, at: event.timeStamp })
      if (first) before = isTyped(target) ? { field: target, value: target.value } : null
      if (fast && target instanceof HTMLButtonElement) target.blur() // a blank would press it
      if (scan === null) return
      event.preventDefault()
      event.stopPropagation()
      if (before !== null) restore(before.field, before.value)
      before = null
      latest.current(scan)
    }
    document.addEventListener('keydown', press, { capture: true })
    return () => document.removeEventListener('keydown', press, { capture: true })
  }, [])
}
