import { useEffect, type ComponentType } from 'react'
import { createStore, useStore } from './store'
import type { Signal } from './signal'

/** The camera with its finder, on a screen of its own or inside another one. */
export interface ScanViewProps {
  /** Of several codes in view the one that fits is taken, else the first. */
  fits?: (text: string) => boolean
  onRead: (text: string) => void
  /** Stays on after a scan; the same label is told again only after it has left the view. */
  keepOn?: boolean
  /** Looks at nothing for now; the camera stays on. */
  paused?: boolean
  /** What the last scan turned out to be, as the colour of the finder. */
  mood?: Signal | null
}

export interface ScanDialogProps extends ScanViewProps {
  label: string
  onManual: () => void
  onClose: () => void
}

/** What the scanner feature brings; other features see no more of it. */
export interface ScannerParts {
  ScanView: ComponentType<ScanViewProps>
  ScanDialog: ComponentType<ScanDialogProps>
  /** Loads the engine, so that the first scan need not wait for it. */
  warm: () => void
}

interface Slot {
  parts: ScannerParts | null
  failed: boolean
}
const slot = createStore<Slot>({ parts: null, failed: false })
let load: (() => Promise<ScannerParts>) | null = null
let loading = false

/** Says where the scanner comes from; nothing is loaded before a screen wants it. */
export function provideScanner(loader: () => Promise<ScannerParts>): void {
  load = loader
  slot.set({ parts: null, failed: false })
}

/** Loads the scanner and its engine, again after a failure. */
export function wantScanner(): void {
  if (slot.get().parts !== null) return slot.get().parts?.warm()
  if (load === null || loading) return
  loading = true
  slot.set({ parts: null, failed: false })
  load()
    .then((parts) => {
      slot.set({ parts, failed: false })
      parts.warm()
    })
    .catch(() => slot.set({ parts: null, failed: true }))
    .finally(() => {
      loading = false
    })
}

/** The scanner as far as it is there; a screen that shows this wants it soon. */
export function useScanner(): Slot {
  useEffect(wantScanner, [])
  return useStore(slot)
}
