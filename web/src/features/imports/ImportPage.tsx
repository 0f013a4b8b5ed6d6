import { useState } from 'react'
import { draftOf } from '@/api/drafts'
import type { Imported } from '@/api/types'
import { Problem, wordsFor } from '@/api/problem'
import { complaintAbout } from '@/lib/files'
import { useText } from '@/lib/text'
import { Button, LinkButton } from '@/ui/Button'
import { DropZone } from '@/ui/DropZone'
import { Card, Note, Page } from '@/ui/Page'
import { Progress } from '@/ui/Progress'
import { Warnings } from '@/ui/Warnings'
import { isCancelled, uploadOf, useCancel, useTemplate, useUpload, type UploadProgress } from './api'
import { Refusal } from './Refusal'
import { useImportText } from './text'
import styles from './ImportPage.module.css'

const useFile = draftOf<File | null>(null)

/** Uploads one workbook as a new campaign. */
export default function ImportPage() {
  const t = useImportText()
  const [file, setFile] = useFile()
  const [complaint, setComplaint] = useState<string | null>(null)
  const [progress, setProgress] = useState<UploadProgress | null>(null)
  const upload = useUpload(setProgress)
  const cancel = useCancel()

  const choose = (chosen: File) => {
    const wrong = complaintAbout(chosen)
    upload.reset()
    setComplaint(wrong === null ? null : t(wrong))
    setFile(wrong === null ? chosen : null)
  }
  const send = () => {
    if (file === null) return
    setProgress(null)
    cancel.reset()
    upload.mutate(uploadOf(file), { onSuccess: () => setFile(null), onError: (error) => isRefused(error) && setFile(null) })
  }
  return (
    <Page title={t('import.title')} narrow>
      <Card label={t('import.title')}>
        <p className="quiet">{t('import.explain')}</p>
        <DropZone label={t('import.file')} accept=".xlsx" title={file?.name ?? t('import.choose')} hint={t(file === null ? 'import.limits' : 'import.another')} disabled={upload.isPending} onChoose={choose} />
        {complaint && <Note kind="error">{complaint}</Note>}
        {upload.isPending && <Working progress={progress} cancelling={cancel.isPending} onCancel={() => cancel.mutate(upload.variables)} />}
        {upload.isPending && cancel.isError && <Note kind="error">{t('import.notCancelled', { why: wordsFor(cancel.error, t) })}</Note>}
        {upload.isError && (isCancelled(upload.error) ? <Note kind="info">{t('import.cancelled')}</Note> : <Refusal error={upload.error} />)}
        {upload.isSuccess && <Success imported={upload.data} />}
        {!upload.isSuccess && (
          <Button kind="primary" big wide icon="upload" disabled={file === null} busy={upload.isPending} onClick={send}>
            {t('import.submit')}
          </Button>
        )}
      </Card>
      <Template />
    </Page>
  )
}

/** Whether it is the file that is not taken; what only failed on the way, or was given up, can be sent again. */
const isRefused = (error: Error) => error instanceof Problem && !isCancelled(error) && error.status >= 400 && error.status < 500 && error.status !== 401

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
        <Progress label={label} done={progress?.rows ?? 0} total={progress?.total ?? null} />
        <p className="quiet">{t('import.rows', { n: progress?.rows ?? 0 })}</p>
      </div>
      <Button icon="close" busy={cancelling} onClick={onCancel}>
        {t('import.cancel')}
      </Button>
    </div>
  )
}

function Success({ imported: { campaign, notes } }: { imported: Imported }) {
  const t = useText()
  return (
    <Note kind="success">
      <p>{t('import.success')}</p>
      <p className={styles.result}>
        <strong>{campaign.name}</strong> · {t('import.vehicles', { n: campaign.total_vehicles })}
      </p>
      <Warnings sentences={notes} />
      <LinkButton kind="primary" icon="right" to={`/campaign/${campaign.id}`}>
        {t('import.open')}
      </LinkButton>
    </Note>
  )
}

function Template() {
  const t = useText()
  const template = useTemplate()
  return (
    <>
      <Button icon="download" wide busy={template.isPending} onClick={() => template.mutate()}>
        {t('import.template')}
      </Button>
      {template.isError && <Note kind="error">{wordsFor(template.error, t)}</Note>}
    </>
  )
}
