import { useEffect } from 'react'

/** Keeps the screen on while `on` is true, where the browser supports this. The browser releases the lock of a hidden page by itself. */
export function useWakeLock(on: boolean): void {
  useEffect(() => {
    const { wakeLock }: { wakeLock?: WakeLock } = navigator
    if (!on || wakeLock === undefined) return
    const lock = wakeLock.request('screen').catch(() => null) // refused in battery saver mode
    return () => void lock.then((held) => held?.release())
  }, [on])
}
