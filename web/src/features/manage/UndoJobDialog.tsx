import { getErrorMessage } from '@/api/apiProblem'
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
  if (undo.data) return <Outcome question={question} job={job} result={undo.data} onDone={onDone} />
  const words = { n: formatCount(job.vehicles), names: formatJobCampaigns(job, t) }
  return (
    <ConfirmDialog question={question} busy={undo.isPending} onYes={() => undo.mutate(job)} onNo={onDone}>
      <p>{t(job.kind === 'import' ? 'history.askImport' : 'history.askVehicles', words)}</p>
      {undo.error && <Alert kind="error">{t('history.notUndone', { why: getErrorMessage(undo.error, t) })}</Alert>}
    </ConfirmDialog>
  )
}

interface OutcomeProps {
  question: string
  job: Job
  result: JobUndoResult
  onDone: () => void
}

function Outcome({ question, job, result, onDone }: OutcomeProps) {
  const t = useJobHistoryText()
  return (
    <Dialog label={question} onClose={onDone}>
      <div className={styles.result}>
        <Alert kind={result.undone ? 'success' : 'warning'}>
          {describeUndoResult(job, result, t).map((sentence) => (
            <p key={sentence}>{sentence}</p>
          ))}
        </Alert>
        {result.total_left > 0 && <Left result={result} />}
        <Button kind="primary" wide onClick={onDone}>
          {t('history.close')}
        </Button>
      </div>
    </Dialog>
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
