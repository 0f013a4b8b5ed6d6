import { currentSession } from '@/api/session'
import { queries } from './queries'

/** Brings what keeps work on this device, and lets it send what waits; its code comes after the sign-in. */
export function wakeField(): void {
  if (currentSession() === null) return
  import('@/api/outbox').then(({ start }) => start(queries)).catch(() => console.warn('the saves that wait here could not be looked at'))
}
