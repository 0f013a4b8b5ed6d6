import { useMediaQuery } from '@/lib/useMediaQuery'

/**
 * Returns whether the window is large enough for the desktop layout, in which the Scan and Manual buttons are beside the identifier field.
 * In smaller windows, the buttons are in the bar at the lower edge, within reach of the thumb.
 */
export const useIsDesktopLayout = (): boolean => useMediaQuery('(min-width: 900px) and (min-height: 481px)')
