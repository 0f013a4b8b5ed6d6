import { useMutation, useQueryClient } from '@tanstack/react-query'
import { done, http, raw } from '@/api/client'
import { eventsIn } from '@/api/events'
import { download, formWith } from '@/api/files'
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

/** An upload as the person sees it: the file, and the way to stop it. */
export interface Upload {
  id: string
  file: File
  stop: AbortController
}

export const uploadOf = (file: File): Upload => ({ id: uuid(), file, stop: new AbortController() })

/** Uploads one workbook and tells how far the server has come with it. */
export function useUpload(onProgress: (progress: UploadProgress) => void) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: async ({ id, file, stop }: Upload): Promise<Imported> => {
      const watching = new AbortController()
      void watch(id, onProgress, watching.signal)
      try {
        const body = await formWith('documents', file)
        const response = await raw('/documents/upload', { method: 'POST', body, headers: { 'x-upload-id': id }, signal: stop.signal })
        return await response.json()
      } catch (cause) {
        throw stop.signal.aborted ? cancelled() : cause
      } finally {
        watching.abort()
      }
    },
    onSuccess: () => Promise.all([refreshCounts(queries), queries.invalidateQueries({ queryKey: ['jobs'] })]),
  })
}

const CANCELLED = 'CANCELLED'
const TOO_LATE = 'TOO_LATE'
const cancelled = () => new Problem(409, CANCELLED, '')

/** Whether an upload ended because the person gave it up. */
export const isCancelled = (error: unknown): boolean => error instanceof Problem && error.code === CANCELLED

/** Gives an upload up: the import that runs, or the file that is still being sent. One that is a campaign already stays. */
export const useCancel = () =>
  useMutation({
    mutationFn: async ({ id, stop }: Upload) => {
      try {
        await done(http.DELETE('/documents/uploads/{id}', { params: { path: { id } } }))
      } catch (cause) {
        if (cause instanceof Problem && cause.code === TOO_LATE) return
        if (!(cause instanceof Problem && cause.status === 404)) throw cause
        stop.abort()
      }
    },
  })

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

interface Refused {
  code: number | null
  rows: BadRow[]
  /** The sheet that is kept with its errors. */
  sheet: string | null
}

/** What the server says about a refused workbook. */
export function refusalOf(error: Error): Refused {
  if (!(error instanceof Problem)) return { code: null, rows: [], sheet: null }
  return { code: error.number('ErrorCode'), rows: error.details.filter(isBadRow), sheet: error.text('rejected_id') }
}

/** Saves a refused sheet with a column that says what is wrong in each row. */
export const useRejectedSheet = () => useMutation({ mutationFn: (id: string) => download(`/documents/rejected/${id}`, 'import-errors.xlsx') })

export const useTemplate = () => useMutation({ mutationFn: () => download('/documents/template', 'campaign-template.xlsx') })
