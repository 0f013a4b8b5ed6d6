import type { ReactNode } from 'react'
import { ApiProblem, getErrorMessage } from '@/api/apiProblem'
import type { Job, JobUndoResult } from '@/api/types'
import { Link } from '@/lib/route'
import { formatCount } from '@/lib/format'
import { Button } from '@/ui/Button'
import { ConfirmDialog, Dialog } from '@/ui/Dialog'
import { MonospaceVin } from '@/ui/MonospaceVin'
import { Alert } from '@/ui/Page'
import { useUndoJob } from './api'
import { useJobHistoryText } from './historyText'
import { formatJobCampaigns, describeUndoResult, formatJobTitle } from './jobs'
import styles from './UndoJobDialog.module.css'

/** Dialog that states what undoing a job (an import or bulk change) will do, asks for confirmation, and then shows the result. */
export function UndoJobDialog({ job, onDone }: { job: Job; onDone: () => void }) {
  const t = useJobHistoryText()
  const undo = useUndoJob()
  const question = t('history.question', { what: formatJobTitle(job, t) })
  if (undo.data) {
    return (
      <Outcome question={question} onDone={onDone}>
        <Result job={job} result={undo.data} />
      </Outcome>
    )
  }
  const failure = undo.error && <Alert kind="error">{t('history.notUndone', { why: getErrorMessage(undo.error, t) })}</Alert>
  if (isFinalRefusal(undo.error)) return <Outcome question={question} onDone={onDone}>{failure}</Outcome>
  const words = { n: formatCount(job.vehicles), names: formatJobCampaigns(job, t) }
  return (
    <ConfirmDialog question={question} busy={undo.isPending} onYes={() => undo.mutate(job)} onNo={onDone}>
      <p>{t(job.kind === 'import' ? 'history.askImport' : 'history.askVehicles', words)}</p>
      {failure}
    </ConfirmDialog>
  )
}

/** Statuses with which the server refuses an undo for good: the person may not undo it, the campaign is deleted, or it is closed. */
const FINAL_STATUSES: readonly number[] = [403, 404, 409]

const isFinalRefusal = (error: Error | null): boolean => error instanceof ApiProblem && FINAL_STATUSES.includes(error.status)

function Outcome({ question, onDone, children }: { question: string; onDone: () => void; children: ReactNode }) {
  const t = useJobHistoryText()
  return (
    <Dialog label={question} onClose={onDone}>
      <div className={styles.result}>
        {children}
        <Button kind="primary" wide onClick={onDone}>
          {t('history.close')}
        </Button>
      </div>
    </Dialog>
  )
}

function Result({ job, result }: { job: Job; result: JobUndoResult }) {
  const t = useJobHistoryText()
  return (
    <>
      <Alert kind={result.undone ? 'success' : 'warning'}>
        {describeUndoResult(job, result, t).map((sentence) => (
          <p key={sentence}>{sentence}</p>
        ))}
      </Alert>
      {result.total_left > 0 && <Left result={result} />}
    </>
  )
}

function Left({ result: { undone, left, total_left } }: { result: JobUndoResult }) {
  const t = useJobHistoryText()
  const more = total_left - left.length
  const heading = t('history.left', { n: formatCount(total_left) })
  return (
    <>
      {undone && <p>{heading}</p>}
      <ul className={styles.left} aria-label={heading}>
        {left.map(({ id, vin_number, campaign_name }) => (
          <li key={id}>
            <Link href={`/vehicle/${id}`}>
              <MonospaceVin vin={vin_number} />
            </Link>
            <span className="quiet">{campaign_name}</span>
          </li>
        ))}
        {more > 0 && <li className="quiet">{t('history.more', { n: formatCount(more) })}</li>}
      </ul>
    </>
  )
}
