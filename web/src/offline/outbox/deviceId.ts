import { createUuid } from '@/lib/createUuid'

const NAME = 'device'

/** Returns the id of this app installation, created on first use. In a browser that cannot store data, each call returns a new id. */
export function getDeviceId(): string {
  const known = localStorage.getItem(NAME)
  if (known !== null && known !== '') return known
  const made = createUuid()
  try {
    localStorage.setItem(NAME, made)
  } catch {
    // Without storage the server lists this device under several ids, which does no harm.
  }
  return made
}
