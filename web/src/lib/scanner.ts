import { useEffect, type ComponentType, type ReactNode } from 'react'
import { createStore, useStore } from './store'
import { prepareFeedbackSound, type ScanFeedback } from './scanFeedback'

/**
 * How well a scanned text matches a vehicle. `part` means that the text matches only a part of an identifier, or only looks like an
 * identifier. In this case, another code in view may match better.
 */
export type MatchGrade = 'none' | 'part' | 'full'

/** The fields of a vehicle that are compared with characters read from a label, and shown for confirmation. */
export interface OcrCandidateVehicle {
  id: number
  vin_number: string
  parking_space: string
}

/** Properties of the camera view, which is used on its own page and inside of other pages. */
export interface ScanViewProps {
  /**
   * Grades how well a scanned text matches a vehicle; `true` counts as `full`, `false` as `none`. If several codes are in view, the best
   * match is reported; without a match, the first code is reported.
   */
  gradeMatch?: (text: string) => boolean | MatchGrade
  onScan: (text: string) => void
  /** The campaign's vehicles, for identifying a label without a code by its characters (OCR). Without vehicles, characters are not read. */
  vehicles?: readonly OcrCandidateVehicle[]
  /** Whether the camera stays on after a scan. The same label is then reported again only after it has left the view. */
  keepOn?: boolean
  /** Whether scanning is paused: the camera stays on, but no code is reported. */
  paused?: boolean
  /**
   * Called when the person taps the button that resumes a paused scan. If this callback is given, a paused view is dimmed, shows this
   * button, and says that scanning is paused during typing.
   */
  onResume?: () => void
  /** Result of the last scan, shown as the colour of the finder (the dashed square). */
  lastFeedback?: ScanFeedback | null
  /** Called with true when the camera fails, and with false when the camera works. */
  onCameraChange?: (hasFailed: boolean) => void
}

export interface ScanDialogProps extends ScanViewProps {
  label: string
  onManual: () => void
  onClose: () => void
  /** Content below the camera view, such as a hint about which code to scan. */
  children?: ReactNode
}

/**
 * Exports of the scanner feature, which is loaded on demand: the camera view, the scan dialog, and a function that preloads the decoding
 * engine.
 */
export interface ScannerModule {
  ScanView: ComponentType<ScanViewProps>
  ScanDialog: ComponentType<ScanDialogProps>
  /** Loads the decoding engine ahead of the first scan. */
  preload: () => void
}

interface ScannerLoadState {
  scanner: ScannerModule | null
  hasFailed: boolean
}
const loadState = createStore<ScannerLoadState>({ scanner: null, hasFailed: false })
let load: (() => Promise<ScannerModule>) | null = null
let loading = false

/** Registers the function that loads the scanner. `loadScanner` calls the function later. */
export function setScannerLoader(loader: () => Promise<ScannerModule>): void {
  load = loader
  loadState.set({ scanner: null, hasFailed: false })
}

/** Loads the scanner and its decoding engine, unless they are loaded or loading. A call after a failure tries again. */
export function loadScanner(): void {
  if (loadState.get().scanner !== null) return loadState.get().scanner?.preload()
  if (load === null || loading) return
  loading = true
  loadState.set({ scanner: null, hasFailed: false })
  load()
    .then((scanner) => {
      loadState.set({ scanner, hasFailed: false })
      scanner.preload()
      setTimeout(prepareFeedbackSound) // in a task of its own, because creating the audio context takes long on a slow phone
    })
    .catch(() => loadState.set({ scanner: null, hasFailed: true }))
    .finally(() => {
      loading = false
    })
}

/** Returns the load state of the scanner; `scanner` is `null` until it is loaded. Starts loading the scanner when the component mounts. */
export function useScanner(): ScannerLoadState {
  useEffect(loadScanner, [])
  return useStore(loadState)
}
