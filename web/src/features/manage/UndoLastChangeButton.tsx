import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { jobsQuery } from '@/api/jobs'
import { useSession } from '@/api/session'
import type { Job } from '@/api/types'
import { Button } from '@/ui/Button'
import { useJobHistoryText } from './historyText'
import { formatJobTime, formatJobTitle } from './jobs'
import { UndoJobDialog } from './UndoJobDialog'
import styles from './UndoLastChangeButton.module.css'

/**
 * Button that undoes the bulk change just executed. The result of the change contains no job id, so the button undoes the person's newest
 * job of this kind. The button is hidden if that job changed a different number of vehicles.
 */
export function UndoLastChangeButton({ kind, vehicles }: { kind: Job['kind']; vehicles: number }) {
  const t = useJobHistoryText()
  const hmc = useSession()?.user.hmc
  const jobs = useQuery({ ...jobsQuery, enabled: vehicles > 0 })
  const [leaving, setLeaving] = useState<Job | null>(null)
  const job = jobs.isFetching ? undefined : jobs.data?.find((one) => one.kind === kind && one.created_by_name === hmc)
  const isOpen = job !== undefined && job.vehicles === vehicles && !job.hindrance
  return (
    <div className={styles.undo}>
      {isOpen && (
        <Button kind="quiet" icon="undo" aria-label={t('history.undoLabel', { what: formatJobTitle(job, t), when: formatJobTime(job.created_at) })} onClick={() => setLeaving(job)}>
          {t('history.undo')}
        </Button>
      )}
      {leaving && <UndoJobDialog job={leaving} onDone={() => setLeaving(null)} />}
    </div>
  )
}
