import { formatLogTimestamp } from '@/lib/format'
import { apiClient, unwrapEmptyResponse } from './client'

/** Reports the sign-in, with the time of this device, to the server's log. A failure is only logged to the console. */
export function logSignIn(): void {
  const body = { timestamp: formatLogTimestamp(new Date()) }
  unwrapEmptyResponse(apiClient.POST('/logs/login', { body })).catch(() => console.warn('failed to log the sign-in, the audit log lacks it'))
}
