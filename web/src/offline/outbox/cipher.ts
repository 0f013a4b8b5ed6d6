import type { NonSharedUint8Array } from '../schema'

/**
 * Encrypts and decrypts by AES-GCM with the key of one person. `bound` is the additional authenticated data. The encrypted bytes end with
 * an authentication tag of 16 bytes.
 */
export interface Cipher {
  encrypt: (iv: NonSharedUint8Array, bound: NonSharedUint8Array, plain: NonSharedUint8Array) => Promise<NonSharedUint8Array>
  /** Decrypts bytes. Rejects when the encrypted bytes, the additional data or the key differ from the values used for the encryption. */
  decrypt: (iv: NonSharedUint8Array, bound: NonSharedUint8Array, sealed: NonSharedUint8Array) => Promise<NonSharedUint8Array>
}

const NAME = 'AES-GCM'

/** Creates the cipher for a key of 32 bytes, which is given as base64url without padding. */
export async function createCipher(base64url: string): Promise<Cipher> {
  const key = bytesOf(base64url)
  const subtle: SubtleCrypto | undefined = crypto.subtle // missing on pages that were loaded over http
  return subtle === undefined ? await inJavaScript(key) : await ofWebCrypto(subtle, key)
}

async function ofWebCrypto(subtle: SubtleCrypto, bytes: NonSharedUint8Array): Promise<Cipher> {
  const key = await subtle.importKey('raw', bytes, NAME, false, ['encrypt', 'decrypt'])
  const options = (iv: NonSharedUint8Array, additionalData: NonSharedUint8Array): AesGcmParams => ({ name: NAME, iv, additionalData })
  return {
    encrypt: async (iv, bound, plain) => new Uint8Array(await subtle.encrypt(options(iv, bound), key, plain)),
    decrypt: async (iv, bound, sealed) => new Uint8Array(await subtle.decrypt(options(iv, bound), key, sealed)),
  }
}

async function inJavaScript(key: NonSharedUint8Array): Promise<Cipher> {
  const { gcm } = await import('@noble/ciphers/aes.js')
  return {
    encrypt: async (iv, bound, plain) => gcm(key, iv, bound).encrypt(plain),
    decrypt: async (iv, bound, sealed) => gcm(key, iv, bound).decrypt(sealed),
  }
}

function bytesOf(base64url: string): NonSharedUint8Array {
  const text = atob(base64url.replaceAll('-', '+').replaceAll('_', '/'))
  return Uint8Array.from(text, (char) => char.charCodeAt(0))
}
