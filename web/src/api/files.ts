import { fetchRawResponse } from './client'
import { ApiProblem } from './apiProblem'

/** Returns the file name in a Content-Disposition header, preferably the UTF-8 form. Returns null when the header has no file name. */
export function parseDownloadFileName(disposition: string | null): string | null {
  const utf8 = /filename\*=UTF-8''([^;]+)/i.exec(disposition ?? '')?.[1]
  if (utf8 !== undefined) return decodeURIComponent(utf8)
  return /filename="?([^";]+)"?/i.exec(disposition ?? '')?.[1] ?? null
}

/** Returns form data with the file's current content. Throws a `FILE_CHANGED` problem when the file has changed since it was chosen. */
export async function buildFileFormData(field: string, file: File): Promise<FormData> {
  const content = await file.arrayBuffer().catch(() => {
    throw new ApiProblem(0, 'FILE_CHANGED', '')
  })
  const form = new FormData()
  form.append(field, new Blob([content], { type: file.type }), file.name)
  return form
}

/** Downloads a file with the session's token and saves it under the file name from the server, else under `fallbackName`. */
export async function downloadFile(path: string, fallbackName: string, init?: RequestInit): Promise<void> {
  const response = await fetchRawResponse(path, init)
  const name = parseDownloadFileName(response.headers.get('content-disposition')) ?? fallbackName
  saveBlobAsFile(await response.blob(), name)
}

/** Makes the browser download `blob` as a file with the given name. */
export function saveBlobAsFile(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob)
  const anchor = document.createElement('a')
  anchor.href = address
  anchor.download = name
  anchor.click()
  setTimeout(() => URL.revokeObjectURL(address), 10_000)
}
