import { provideScanner } from '@/lib/scanner'

/** Brings the scanner to the screens that want one; its code comes when the first of them does. */
export const bringScanner = (): void => provideScanner(async () => (await import('@/features/scanner')).parts)
