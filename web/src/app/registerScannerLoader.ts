import { setScannerLoader } from '@/lib/scanner'

/** Registers the function that imports the scanner's code when a page first needs the scanner. */
export const registerScannerLoader = (): void => setScannerLoader(async () => (await import('@/features/scanner')).scannerModule)
