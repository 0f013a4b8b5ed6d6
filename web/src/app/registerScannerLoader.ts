import { setScannerLoader } from '@/lib/scanner'

/** Registers the function that loads the scanner. The code of the scanner is loaded when a page first needs the scanner. */
export const registerScannerLoader = (): void => setScannerLoader(async () => (await import('@/features/scanner')).scannerModule)
