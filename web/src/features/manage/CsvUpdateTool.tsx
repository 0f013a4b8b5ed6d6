import { useEffect, useEffectEvent, useState } from 'react'
import { createFormDraftHook } from '@/api/formDrafts'
import { getErrorMessage } from '@/api/apiProblem'
import type { PreviewedVehicle } from '@/api/types'
import { useDroppedFile } from '@/lib/droppedFile'
import { translateServerMessage } from '@/lib/translateServerMessage'
import { formatCount } from '@/lib/format'
import { Button } from '@/ui/Button'
import { DropZone } from '@/ui/DropZone'
import { Alert } from '@/ui/Page'
import { showToast } from '@/ui/Toast'
import { useApplyVehicleCsv, useValidateVehicleCsv } from './api'
import { findCsvFileError, getCsvLineErrors, canApplyCsv, type CsvLineError } from './csvFile'
import { CsvPreview } from './CsvPreview'
import { ExecuteButton } from './ExecuteButton'
import { ToolLayout } from './ToolLayout'
import { useManageText, type ManageTextKey } from './text'
import { LineErrorList } from './LineErrorList'
import { listBulkOutcomeRows } from './bulkOutcomeRows'
import { FilterableBulkOutcomeTable } from './FilterableBulkOutcomeTable'
import { UndoLastChangeButton } from './UndoLastChangeButton'

const useFile = createFormDraftHook<File | null>(null)

/** Matches an error message of the server that starts with a CSV line number, such as 'line 3: …'. */
const NAMES_LINE = /^line \d+[ :]/i

/** Tool that applies a CSV file to the vehicles after showing a preview of the changes. */
export function CsvUpdateTool() {
  const t = useManageText()
  const [file, setFile] = useFile()
  const [changed, setChanged] = useState<PreviewedVehicle[]>([])
  const [complaint, setComplaint] = useState<ManageTextKey | null>(null)
  const check = useValidateVehicleCsv()
  const change = useApplyVehicleCsv()

  const clear = () => {
    setFile(null)
    setComplaint(null)
    check.reset()
    change.reset()
  }
  const look = (chosen: File) => check.mutate(chosen, { onError: () => showToast('error', t('csv.unreadable')) })
  const choose = (chosen: File) => {
    clear()
    const wrong = findCsvFileError(chosen)
    setComplaint(wrong)
    if (wrong !== null) return void showToast('error', t(wrong))
    setFile(chosen)
    look(chosen)
  }
  const checkAgain = useEffectEvent(() => file !== null && look(file))
  useEffect(() => void checkAgain(), [])
  useDroppedFile('.csv', choose)
  const execute = (chosen: File) => change.mutate(chosen, {
    onSuccess: ({ updated }) => {
      setChanged(check.data?.preview.filter(({ changes }) => changes.length > 0) ?? [])
      showToast('success', doneWords(updated, t))
      setFile(null)
      check.reset()
    },
    onError: () => showToast('error', t('csv.notExecuted')),
  })
  const linesOf = (errors: CsvLineError[]) => errors.map(({ line, message }) => (NAMES_LINE.test(message) ? translateServerMessage(message) : t('bulk.line', { line, problem: translateServerMessage(message) })))
  const refused = getCsvLineErrors(change.error)
  const obstacle: ManageTextKey | null = file === null ? 'csv.needsFile' : check.isPending ? 'bulk.checking' : check.data !== undefined && canApplyCsv(check.data) ? null : 'csv.needsRows'
  return (
    <ToolLayout
      entry={<>
        <DropZone label={t('csv.file')} accept=".csv" title={file?.name ?? t('csv.choose')} hint={t(file === null ? 'csv.limits' : 'file.another')} disabled={change.isPending} onChoose={choose} />
        <p className="quiet">{t('csv.columns')}</p>
        {complaint !== null && <Alert kind="error">{t(complaint)}</Alert>}
        {check.isError && <Alert kind="error">{`${t('csv.unreadable')} ${getErrorMessage(check.error, t)}`}</Alert>}
        {check.data && check.data.total_errors > 0 && <LineErrorList lines={linesOf(check.data.errors)} total={check.data.total_errors} />}
      </>}
      outcome={<>
        <CsvPreview isChecking={check.isPending} result={check.data}>
          <ExecuteButton obstacle={obstacle} busy={change.isPending} onExecute={() => file !== null && execute(file)} />
          {change.error && <Alert kind="error">{`${t('csv.notExecuted')}. ${getErrorMessage(change.error, t)}`}</Alert>}
          {refused.length > 0 && <LineErrorList lines={linesOf(refused)} total={refused.length} />}
        </CsvPreview>
        {change.data && (
          <>
            <Alert kind="success">
              <p>{doneWords(change.data.updated, t)}</p>
              <UndoLastChangeButton kind="csv" vehicles={change.data.updated} />
            </Alert>
            <FilterableBulkOutcomeTable rows={listBulkOutcomeRows({ skipped: [], not_found: [] }, changed)} counts={{ updated: change.data.updated, skipped: 0, missing: 0 }} />
          </>
        )}
        <Button wide disabled={(file === null && complaint === null && change.data === undefined) || change.isPending} onClick={clear}>
          {t('csv.clear')}
        </Button>
      </>}
    />
  )
}

const doneWords = (updated: number, t: ReturnType<typeof useManageText>) => t('csv.done', { n: formatCount(updated) })
