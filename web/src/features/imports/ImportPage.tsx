import { useState } from 'react'
import { createFormDraftHook } from '@/api/formDrafts'
import type { WorkbookUploadResult } from '@/api/types'
import { getErrorMessage, ApiProblem } from '@/api/apiProblem'
import { findWorkbookFileError } from '@/lib/workbookFile'
import { useDroppedFile } from '@/lib/droppedFile'
import { Button, LinkButton } from '@/ui/Button'
import { DropZone } from '@/ui/DropZone'
import { Alert, Card, Page } from '@/ui/Page'
import { PageDropTarget } from '@/ui/PageDropTarget'
import { ProgressBar } from '@/ui/ProgressBar'
import { ServerWarnings } from '@/ui/ServerWarnings'
import { isUploadCancelled, createWorkbookUpload, useCancelUpload, useUploadWorkbook, type UploadProgress } from './api'
import { ExpectedColumnTable } from './ExpectedColumnTable'
import { RecentImportList } from './RecentImportList'
import { RejectedUploadNotice } from './RejectedUploadNotice'
import { UploadButton } from './UploadButton'
import { useImportText, type ImportTextKey } from './text'
import styles from './ImportPage.module.css'

const useFile = createFormDraftHook<File | null>(null)

/** Screen that uploads one workbook as a new campaign and shows the progress of the import. */
export default function ImportPage() {
  const t = useImportText()
  const [file, setFile] = useFile()
  const [complaint, setComplaint] = useState<string | null>(null)
  const [progress, setProgress] = useState<UploadProgress | null>(null)
  const upload = useUploadWorkbook(setProgress)
  const cancel = useCancelUpload()

  const choose = (chosen: File) => {
    const wrong = findWorkbookFileError(chosen)
    upload.reset()
    setComplaint(wrong === null ? null : t(wrong))
    setFile(wrong === null ? chosen : null)
  }
  useDroppedFile('.xlsx', choose)
  const send = () => {
    if (file === null) return
    setProgress(null)
    cancel.reset()
    upload.mutate(createWorkbookUpload(file), { onSuccess: () => setFile(null), onError: (error) => isRefused(error) && setFile(null) })
  }
  return (
    <Page title={t('import.title')} tabTitle={t('menu.import')}>
      <div className={styles.page}>
        <Card label={t('import.title')}>
          <p className="quiet">{t('import.explain')}</p>
          <DropZone label={t('import.file')} accept=".xlsx" title={file?.name ?? t('import.choose')} hint={t(file === null ? 'import.limits' : 'file.another')} disabled={upload.isPending} onChoose={choose} />
          {complaint && <Alert kind="error">{complaint}</Alert>}
          {upload.isPending && <Working progress={progress} cancelling={cancel.isPending} onCancel={() => cancel.mutate(upload.variables)} />}
          {upload.isPending && cancel.isError && <Alert kind="error">{t('import.notCancelled', { why: getErrorMessage(cancel.error, t) })}</Alert>}
          {upload.isError && (isUploadCancelled(upload.error) ? <Alert kind="info">{t('import.cancelled')}</Alert> : <RejectedUploadNotice error={upload.error} />)}
          {upload.isSuccess && <Success imported={upload.data} />}
          {!upload.isSuccess && <UploadButton obstacle={findUploadObstacle({ file, complaint, isRefused: upload.isError })} busy={upload.isPending} onUpload={send} />}
        </Card>
        <ExpectedColumnTable />
        <RecentImportList />
      </div>
      {!upload.isPending && <PageDropTarget title={t('import.drop')} offers={[t('import.limits')]} onFile={choose} />}
    </Page>
  )
}

/** Returns the text key of the reason why nothing can be uploaded: no file was chosen, the chosen one is of a wrong kind or size, or was rejected. */
function findUploadObstacle({ file, complaint, isRefused }: { file: File | null; complaint: string | null; isRefused: boolean }): ImportTextKey | null {
  if (file !== null) return null
  return complaint !== null ? 'import.needsOther' : isRefused ? 'import.needsCorrected' : 'import.needsFile'
}

/**
 * Returns whether the server rejected the upload, so that the person must choose a file again. After other failures, such as a network
 * error or a cancelled import, the file stays chosen.
 */
const isRefused = (error: Error) => error instanceof ApiProblem && !isUploadCancelled(error) && error.status >= 400 && error.status < 500 && error.status !== 401

interface WorkingProps {
  progress: UploadProgress | null
  cancelling: boolean
  onCancel: () => void
}

function Working({ progress, cancelling, onCancel }: WorkingProps) {
  const t = useImportText()
  const saving = progress?.phase === 'saving' || progress?.phase === 'done'
  const label = t(saving ? 'import.saving' : 'import.reading')
  return (
    <div className={styles.working}>
      <div className={styles.far} role="status">
        <p>{label}</p>
        <ProgressBar label={label} done={progress?.rows ?? 0} total={progress?.total ?? null} />
        <p className="quiet">{t('import.rows', { n: progress?.rows ?? 0 })}</p>
      </div>
      <Button icon="close" busy={cancelling} onClick={onCancel}>
        {t('import.cancel')}
      </Button>
    </div>
  )
}

function Success({ imported: { campaign, notes } }: { imported: WorkbookUploadResult }) {
  const t = useImportText()
  return (
    <Alert kind="success">
      <p>{t('import.success')}</p>
      <p className={styles.result}>
        <strong>{campaign.name}</strong> · {t('import.vehicles', { n: campaign.total_vehicles })}
      </p>
      <ServerWarnings sentences={notes} />
      <LinkButton kind="primary" icon="right" to={`/campaign/${campaign.id}`}>
        {t('import.open')}
      </LinkButton>
    </Alert>
  )
}
