import { useMediaQuery } from '@/lib/media'

/**
 * Returns whether the window is large enough for the layout of a desk. Scan and Manual then stand beside the identifier field; in smaller
 * windows the bar at the lower edge holds them, in reach of the thumb.
 */
export const useIsDesk = (): boolean => useMediaQuery('(min-width: 900px) and (min-height: 481px)')
