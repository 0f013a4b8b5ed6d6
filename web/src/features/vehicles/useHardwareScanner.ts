import { useEffect, useRef } from 'react'
import { listenForHardwareScans } from '@/lib/hardwareScanListener'

/** Calls `onScan` with each code from a hardware scanner that types like a keyboard (wedge), whichever element has the focus. */
export function useHardwareScanner(onScan: (text: string) => void): void {
  const latest = useRef(onScan)
  useEffect(() => {
    latest.current = onScan
  })
  useEffect(() => listenForHardwareScans((text) => latest.current(text)), [])
}
