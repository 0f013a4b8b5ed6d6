import { raw } from './client'
import { Problem } from './problem'

/** The file name that a Content-Disposition gives, its UTF-8 form first. */
export function fileNameIn(disposition: string | null): string | null {
  const utf8 = /filename\*=UTF-8''([^;]+)/i.exec(disposition ?? '')?.[1]
  if (utf8 !== undefined) return decodeURIComponent(utf8)
  return /filename="?([^";]+)"?/i.exec(disposition ?? '')?.[1] ?? null
}

/** A form with one file, as the disk has it now; throws when the file is not the one that was chosen any more. */
export async function formWith(field: string, file: File): Promise<FormData> {
  const content = await file.arrayBuffer().catch(() => {
    throw new Problem(0, 'FILE_CHANGED', '')
  })
  const form = new FormData()
  form.append(field, new Blob([content], { type: file.type }), file.name)
  return form
}

/** Fetches a file with the session's token and hands it to the browser to keep. */
export async function download(path: string, fallbackName: string, init?: RequestInit): Promise<void> {
  const response = await raw(path, init)
  const name = fileNameIn(response.headers.get('content-disposition')) ?? fallbackName
  saveAs(await response.blob(), name)
}

export function saveAs(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob)
  const anchor = document.createElement('a')
  anchor.href = address
  anchor.download = name
  anchor.click()
  setTimeout(() => URL.revokeObjectURL(address), 10_000)
}
