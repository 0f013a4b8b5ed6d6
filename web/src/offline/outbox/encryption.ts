import { getDataOwnerKey, type Session } from '@/api/session'
import { parseJson } from '@/lib/json'
import type { NonSharedUint8Array, EncryptedSave } from '../schema'
import { createCipher, type Cipher } from './cipher'
import { isPendingSavePayload, type OutboxEntry } from './pendingSave'

const IV_BYTES = 12
const encode = (text: string): NonSharedUint8Array => new TextEncoder().encode(text)

/**
 * Returns the additional authenticated data of an encrypted record: its readable fields. Decryption fails if the owner, id, position or
 * state was changed.
 */
const boundOf = ({ seq, id, owner, state, at }: Omit<EncryptedSave, 'sealed'>): string => JSON.stringify([seq, id, owner, state, at])

const ciphers = new WeakMap<Session, Promise<Cipher>>()

/**
 * Returns the cipher with the encryption key of the person who signed in for this session. Rejects when the code of the cipher cannot be
 * loaded.
 */
export function getSessionCipher(session: Session): Promise<Cipher> {
  const known = ciphers.get(session)
  if (known !== undefined) return known
  const made = createCipher(session.encryptionKey)
  ciphers.set(session, made)
  made.catch(() => ciphers.delete(session))
  return made
}

/** Encrypts a save with the key of the person who signed in for this session. Throws when the save belongs to another person. */
export async function encryptSave({ seq, id, owner, state, at, ...secret }: OutboxEntry, session: Session): Promise<EncryptedSave> {
  if (owner !== getDataOwnerKey(session.user)) throw new Error('only the owner of a save can encrypt it')
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES))
  const cipher = await getSessionCipher(session)
  const rest = await cipher.encrypt(iv, encode(boundOf({ seq, id, owner, state, at })), encode(JSON.stringify(secret)))
  const sealed = new Uint8Array(iv.length + rest.length)
  sealed.set(iv)
  sealed.set(rest, iv.length)
  return { seq, id, owner, state, at, sealed }
}

interface Opened {
  bound: string
  sealed: NonSharedUint8Array
  entry: OutboxEntry
}
/** Cache of decrypted saves by outbox position, for each session. A read of the database decrypts only records that have changed. */
const opened = new WeakMap<Session, Map<number, Opened>>()

const isEqual = (one: NonSharedUint8Array, other: NonSharedUint8Array): boolean => one.length === other.length && one.every((byte, index) => byte === other[index])

/** Decrypts a record of the outbox. Returns null when the record was tampered with, is damaged or belongs to another person. */
export async function decryptSave(record: EncryptedSave, session: Session): Promise<OutboxEntry | null> {
  const cipher = await getSessionCipher(session)
  const known = opened.get(session) ?? new Map<number, Opened>()
  opened.set(session, known)
  try {
    const { seq, id, owner, state, at, sealed } = record
    const bound = boundOf(record)
    const before = known.get(seq)
    if (before?.bound === bound && isEqual(before.sealed, sealed)) return before.entry
    const plain = await cipher.decrypt(sealed.slice(0, IV_BYTES), encode(bound), sealed.slice(IV_BYTES))
    const content = parseJson(new TextDecoder().decode(plain), isPendingSavePayload)
    if (content === null) return null
    const entry = { ...content, seq, id, owner, state, at }
    known.set(seq, { bound, sealed, entry })
    return entry
  } catch {
    return null
  }
}
