import { useMutation, useQueryClient } from '@tanstack/react-query'
import { raw } from '@/api/client'
import { eventsIn } from '@/api/events'
import { download } from '@/api/files'
import { Problem } from '@/api/problem'
import { refreshCounts } from '@/api/queries'
import { currentSession } from '@/api/session'
import type { Imported } from '@/api/types'
import { isRecord } from '@/lib/stored'
import { uuid } from '@/lib/uuid'

export interface UploadProgress {
  phase: 'reading' | 'saving' | 'done' | 'failed'
  rows: number
  total: number | null
}

export interface BadRow {
  row: number
  column: string
  message: string
}

/** Uploads one workbook and tells how far the server has come with it. */
export function useUpload(onProgress: (progress: UploadProgress) => void) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: async (file: File): Promise<Imported> => {
      const id = uuid()
      const watching = new AbortController()
      void watch(id, onProgress, watching.signal)
      try {
        const body = new FormData()
        body.append('documents', file)
        const response = await raw('/documents/upload', { method: 'POST', body, headers: { 'x-upload-id': id } })
        return await response.json()
      } finally {
        watching.abort()
      }
    },
    onSuccess: () => refreshCounts(queries),
  })
}

const ASK_AGAIN_MS = 300

/** Follows the import's own stream, asking again when it breaks off; without it the upload goes on unseen. */
async function watch(id: string, tell: (progress: UploadProgress) => void, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      const response = await raw(`/documents/uploads/${id}/events`, { signal })
      for await (const { event, data } of eventsIn(response)) {
        const progress: unknown = JSON.parse(data)
        if (event !== 'progress' || !isProgress(progress)) continue
        tell(progress)
        if (progress.phase === 'done' || progress.phase === 'failed') return
      }
    } catch {
      if (currentSession() === null) return
    }
    await new Promise((soon) => { setTimeout(soon, ASK_AGAIN_MS) })
  }
}

const isProgress = (value: unknown): value is UploadProgress => isRecord(value) && typeof value.phase === 'string' && typeof value.rows === 'number'

const isBadRow = (value: unknown): value is BadRow => isRecord(value) && typeof value.row === 'number' && typeof value.message === 'string'

/** What the server says about a refused workbook. */
export function refusalOf(error: Error): { code: number | null; rows: BadRow[] } {
  if (!(error instanceof Problem)) return { code: null, rows: [] }
  return { code: error.number('ErrorCode'), rows: error.details.filter(isBadRow) }
}

export const useTemplate = () => useMutation({ mutationFn: () => download('/documents/template', 'campaign-template.xlsx') })
