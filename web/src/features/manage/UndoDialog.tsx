import { wordsFor } from '@/api/problem'
import type { Job, UndoResult } from '@/api/types'
import { Link } from '@/lib/route'
import { count } from '@/lib/time'
import { Button } from '@/ui/Button'
import { Confirm, Dialog } from '@/ui/Dialog'
import { Note } from '@/ui/Page'
import { useUndoJob } from './api'
import { useHistoryText } from './historyText'
import { campaignsOf, sentencesOf, titleOf } from './jobs'
import styles from './History.module.css'

/** Says what undoing a job will do, asks, and then says what it did. */
export function UndoDialog({ job, onDone }: { job: Job; onDone: () => void }) {
  const t = useHistoryText()
  const undo = useUndoJob()
  const question = t('history.question', { what: titleOf(job, t) })
  if (undo.data) return <Outcome question={question} job={job} result={undo.data} onDone={onDone} />
  const words = { n: count(job.vehicles), names: campaignsOf(job, t) }
  return (
    <Confirm question={question} busy={undo.isPending} onYes={() => undo.mutate(job)} onNo={onDone}>
      <p>{t(job.kind === 'import' ? 'history.askImport' : 'history.askVehicles', words)}</p>
      {undo.error && <Note kind="error">{t('history.notUndone', { why: wordsFor(undo.error, t) })}</Note>}
    </Confirm>
  )
}

interface OutcomeProps {
  question: string
  job: Job
  result: UndoResult
  onDone: () => void
}

function Outcome({ question, job, result, onDone }: OutcomeProps) {
  const t = useHistoryText()
  return (
    <Dialog label={question} onClose={onDone}>
      <div className={styles.result}>
        <Note kind={result.undone ? 'success' : 'warning'}>
          {sentencesOf(job, result, t).map((sentence) => (
            <p key={sentence}>{sentence}</p>
          ))}
        </Note>
        {result.total_left > 0 && <Left result={result} />}
        <Button kind="primary" wide onClick={onDone}>
          {t('history.close')}
        </Button>
      </div>
    </Dialog>
  )
}

function Left({ result: { undone, left, total_left } }: { result: UndoResult }) {
  const t = useHistoryText()
  const more = total_left - left.length
  const heading = t(total_left === 1 ? 'history.leftOne' : 'history.left', { n: count(total_left) })
  return (
    <>
      {undone && <p>{heading}</p>}
      <ul className={styles.left} aria-label={heading}>
        {left.map(({ id, vin_number, campaign_name }) => (
          <li key={id}>
            <Link href={`/vehicle/${id}`} className="mono">
              {vin_number}
            </Link>
            <span className="quiet">{campaign_name}</span>
          </li>
        ))}
        {more > 0 && <li className="quiet">{t('history.more', { n: count(more) })}</li>}
      </ul>
    </>
  )
}
