import { uuid } from '@/lib/uuid'

const NAME = 'device'

/** This installation's own id, made once; a browser that remembers nothing gets another one each time. */
export function deviceId(): string {
  const known = localStorage.getItem(NAME)
  if (known !== null && known !== '') return known
  const made = uuid()
  try {
    localStorage.setItem(NAME, made)
  } catch {
    // a full storage costs only that this device is known under several names
  }
  return made
}
