import type { ScannerModule } from '@/lib/scanner'
import { getDecodeEngine } from './engine'
import { ScanDialog } from './ScanDialog'
import { ScanView } from './ScanView'
import { loadBarcodeDetector } from './useCameraScan'

function preload(): void {
  getDecodeEngine()
  loadBarcodeDetector().catch(() => undefined) // a failure is shown when the camera starts
}

export const scannerModule: ScannerModule = { ScanView, ScanDialog, preload }
