import type { ScannerParts } from '@/lib/scanner'
import { engine } from './engine'
import { ScanDialog } from './ScanDialog'
import { ScanView } from './ScanView'

export const parts: ScannerParts = { ScanView, ScanDialog, warm: () => void engine() }
