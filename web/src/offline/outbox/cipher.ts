import type { UnsharedBytes } from '../schema'

/**
 * Encrypts and decrypts by AES-GCM with the key of one person. `bound` is the additional authenticated data. The encrypted bytes end with
 * an authentication tag of 16 bytes.
 */
export interface Cipher {
  encrypt: (iv: UnsharedBytes, bound: UnsharedBytes, plain: UnsharedBytes) => Promise<UnsharedBytes>
  /** Decrypts bytes. Rejects when the encrypted bytes, the additional data or the key differ from the values used for the encryption. */
  decrypt: (iv: UnsharedBytes, bound: UnsharedBytes, sealed: UnsharedBytes) => Promise<UnsharedBytes>
}

const NAME = 'AES-GCM'

/** Creates the cipher for a key of 32 bytes, which is given as base64url without padding. */
export async function createCipher(base64url: string): Promise<Cipher> {
  const key = bytesOf(base64url)
  const subtle: SubtleCrypto | undefined = crypto.subtle // missing on pages that were loaded over http
  return subtle === undefined ? await inJavaScript(key) : await ofWebCrypto(subtle, key)
}

async function ofWebCrypto(subtle: SubtleCrypto, bytes: UnsharedBytes): Promise<Cipher> {
  const key = await subtle.importKey('raw', bytes, NAME, false, ['encrypt', 'decrypt'])
  const options = (iv: UnsharedBytes, additionalData: UnsharedBytes): AesGcmParams => ({ name: NAME, iv, additionalData })
  return {
    encrypt: async (iv, bound, plain) => new Uint8Array(await subtle.encrypt(options(iv, bound), key, plain)),
    decrypt: async (iv, bound, sealed) => new Uint8Array(await subtle.decrypt(options(iv, bound), key, sealed)),
  }
}

async function inJavaScript(key: UnsharedBytes): Promise<Cipher> {
  const { gcm } = await import('@noble/ciphers/aes.js')
  return {
    encrypt: async (iv, bound, plain) => gcm(key, iv, bound).encrypt(plain),
    decrypt: async (iv, bound, sealed) => gcm(key, iv, bound).decrypt(sealed),
  }
}

function bytesOf(base64url: string): UnsharedBytes {
  const text = atob(base64url.replaceAll('-', '+').replaceAll('_', '/'))
  return Uint8Array.from(text, (char) => char.charCodeAt(0))
}
