import { useMutation, useQueryClient } from '@tanstack/react-query'
import { refreshVehicleCounts } from '@/api/vehicleCache'
import { fetchRawResponse, apiClient, unwrapEmptyResponse } from '@/api/client'
import { readServerSentEvents } from '@/api/serverSentEvents'
import { downloadFile, buildFileFormData } from '@/api/files'
import { queryKeys } from '@/api/queryKeys'
import { ApiProblem } from '@/api/apiProblem'
import { getCurrentSession } from '@/api/session'
import type { WorkbookUploadResult } from '@/api/types'
import { isRecord } from '@/lib/json'
import { createUuid } from '@/lib/createUuid'

export interface UploadProgress {
  phase: 'reading' | 'saving' | 'done' | 'failed'
  rows: number
  total: number | null
}

export interface RejectedRow {
  row: number
  column: string
  message: string
}

/** An upload: its id, its file, and the controller that aborts the request. */
export interface WorkbookUpload {
  id: string
  file: File
  stop: AbortController
}

export const createWorkbookUpload = (file: File): WorkbookUpload => ({ id: createUuid(), file, stop: new AbortController() })

/** Uploads one workbook and reports the progress of the import to `onProgress`. */
export function useUploadWorkbook(onProgress: (progress: UploadProgress) => void) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: async ({ id, file, stop }: WorkbookUpload): Promise<WorkbookUploadResult> => {
      const watching = new AbortController()
      void watch(id, onProgress, watching.signal)
      try {
        const body = await buildFileFormData('documents', file)
        const response = await fetchRawResponse('/documents/upload', { method: 'POST', body, headers: { 'x-upload-id': id }, signal: stop.signal })
        return await response.json()
      } catch (cause) {
        throw stop.signal.aborted ? cancelled() : cause
      } finally {
        watching.abort()
      }
    },
    onSuccess: () => Promise.all([refreshVehicleCounts(queries), queries.invalidateQueries({ queryKey: queryKeys.jobs })]),
  })
}

const CANCELLED = 'CANCELLED'
const TOO_LATE = 'TOO_LATE'
const cancelled = () => new ApiProblem(409, CANCELLED, '')

/** Returns whether an upload ended because the person cancelled it. */
export const isUploadCancelled = (error: unknown): boolean => error instanceof ApiProblem && error.code === CANCELLED

/** Cancels a running import, or aborts an upload that is still being sent. A finished import is not affected. */
export const useCancelUpload = () =>
  useMutation({
    mutationFn: async ({ id, stop }: WorkbookUpload) => {
      try {
        await unwrapEmptyResponse(apiClient.DELETE('/documents/uploads/{id}', { params: { path: { id } } }))
      } catch (cause) {
        if (cause instanceof ApiProblem && cause.code === TOO_LATE) return
        if (!(cause instanceof ApiProblem && cause.status === 404)) throw cause
        stop.abort()
      }
    },
  })

const ASK_AGAIN_MS = 300

/** Reads the import's progress stream and reconnects after each interruption. The import continues at the server without the stream. */
async function watch(id: string, onProgress: (progress: UploadProgress) => void, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      const response = await fetchRawResponse(`/documents/uploads/${id}/events`, { signal })
      for await (const { event, data } of readServerSentEvents(response)) {
        const progress: unknown = JSON.parse(data)
        if (event !== 'progress' || !isProgress(progress)) continue
        onProgress(progress)
        if (progress.phase === 'done' || progress.phase === 'failed') return
      }
    } catch {
      if (getCurrentSession() === null) return
    }
    await new Promise((soon) => { setTimeout(soon, ASK_AGAIN_MS) })
  }
}

const isProgress = (value: unknown): value is UploadProgress => isRecord(value) && typeof value.phase === 'string' && typeof value.rows === 'number'

const isBadRow = (value: unknown): value is RejectedRow => isRecord(value) && typeof value.row === 'number' && typeof value.message === 'string'

interface UploadRejection {
  code: number | null
  rows: RejectedRow[]
  /**
   * Id of the rejected workbook at the server, for downloading a copy with marked errors. `null` when the server did not store the
   * workbook.
   */
  workbook: string | null
}

/** Reads the error code, the rejected rows and the id of the rejected workbook from a failed upload. */
export function getUploadRejection(error: Error): UploadRejection {
  if (!(error instanceof ApiProblem)) return { code: null, rows: [], workbook: null }
  return { code: error.number('ErrorCode'), rows: error.details.filter(isBadRow), workbook: error.text('rejected_id') }
}

/** Downloads a rejected workbook with an extra column that states the errors of each row. */
export const useDownloadRejectedWorkbook = () => useMutation({ mutationFn: (id: string) => downloadFile(`/documents/rejected/${id}`, 'import-errors.xlsx') })

export const useDownloadWorkbookTemplate = () => useMutation({ mutationFn: () => downloadFile('/documents/template', 'campaign-template.xlsx') })
