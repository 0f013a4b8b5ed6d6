import type { ScannerModule } from '@/lib/scanner'
import { getEngine } from './engine'
import { ScanDialog } from './ScanDialog'
import { ScanView } from './ScanView'
import { loadDetector } from './useCameraScan'

function preload(): void {
  getEngine()
  loadDetector().catch(() => undefined) // a failure is shown when the camera starts
}

export const scannerModule: ScannerModule = { ScanView, ScanDialog, preload }
