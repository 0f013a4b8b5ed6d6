/** Name of the cache that stores the files of the OCR engine. The service worker serves the files from this cache. */
const OCR_CACHE = 'character-reader'

/** Returns the URL of the folder with the files of the OCR engine. */
export const getOcrFolderUrl = (): string => new URL(OCR_FOLDER, globalThis.location.href).href

/**
 * Stores the files of the OCR engine on this device, so that label texts can be read offline. Deletes the files of older versions. Rejects
 * when a file is missing and cannot be loaded.
 */
export async function storeOcrFiles(): Promise<void> {
  const wanted = OCR_FILES.map((name) => `${getOcrFolderUrl()}/${name}`)
  const cache = await caches.open(OCR_CACHE)
  const stored = (await cache.keys()).map(({ url }) => url)
  await cache.addAll(wanted.filter((url) => !stored.includes(url)))
  await Promise.all(stored.filter((url) => !wanted.includes(url)).map((url) => cache.delete(url)))
}
