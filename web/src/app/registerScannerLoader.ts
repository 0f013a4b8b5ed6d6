import { setScannerLoader } from '@/lib/scanner'

/** Registers the dynamic import of the scanner's code, which runs when a page first needs the scanner. */
export const registerScannerLoader = (): void => setScannerLoader(async () => (await import('@/features/scanner')).scannerModule)
