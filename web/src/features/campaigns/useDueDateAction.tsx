import { useState, type ReactNode } from 'react'
import { getErrorMessage } from '@/api/apiProblem'
import { useSession } from '@/api/session'
import type { Campaign } from '@/api/types'
import { mayManageCampaigns } from '@/lib/roles'
import { formatDate, formatHourMinute } from '@/lib/format'
import type { ActionMenuItem } from '@/ui/ActionMenu'
import { Button } from '@/ui/Button'
import { Dialog } from '@/ui/Dialog'
import { TextField } from '@/ui/Field'
import { Alert } from '@/ui/Page'
import { showToast } from '@/ui/Toast'
import { useSetDueDate } from './api'
import { useCampaignsText } from './text'
import styles from './useDueDateAction.module.css'

const OFFSET_MS = 3 * 3_600_000
/** Formats a time, in milliseconds since 1970, as the value of the date field at UTC-3. */
const toField = (at: number): string => new Date(at - OFFSET_MS).toISOString().slice(0, 16)
const toTime = (field: string): string => `${field}:00-03:00`

/** Formats a due date as day and time, without seconds. */
export const formatDueDate = (at: string): string => `${formatDate(at)}, ${formatHourMinute(at)}`

/**
 * Provides the menu action that sets the due date of a campaign, and its dialog as `dialog`. Operators get no action, because they may
 * not change the date.
 */
export function useDueDateAction(campaign: Campaign): { actions: ActionMenuItem[]; dialog: ReactNode } {
  const t = useCampaignsText()
  const mayEdit = mayManageCampaigns(useSession()?.user.user_type ?? '')
  const [isOpen, setIsOpen] = useState(false)
  const label = t('due.set')
  return {
    actions: mayEdit ? [{ icon: 'pencil', text: label, label, onSelect: () => setIsOpen(true) }] : [],
    dialog: isOpen && <DueDateDialog campaign={campaign} onClose={() => setIsOpen(false)} />,
  }
}

function DueDateDialog({ campaign, onClose }: { campaign: Campaign; onClose: () => void }) {
  const t = useCampaignsText()
  const set = useSetDueDate(campaign.id)
  const [field, setField] = useState(() => (campaign.due_at ? toField(Date.parse(campaign.due_at)) : ''))
  const save = (due: string | null) => set.mutate(due, {
    onSuccess: () => {
      showToast('success', due === null ? t('due.removed') : t('due.saved', { when: formatDueDate(due) }))
      onClose()
    },
  })
  return (
    <Dialog label={t('due.title')} onClose={onClose}>
      <form className={styles.due} onSubmit={(event) => {
        event.preventDefault()
        save(toTime(field))
      }}>
        <h2>{t('due.title')}</h2>
        <TextField label={t('due.when')} hint={t('due.hint')} type="datetime-local" required value={field} onChange={(event) => setField(event.target.value)} />
        {set.error && <Alert kind="error">{getErrorMessage(set.error, t)}</Alert>}
        <div className={styles.ways}>
          <Button kind="primary" type="submit" busy={set.isPending} disabled={field === ''}>{t('due.save')}</Button>
          <Button onClick={onClose} disabled={set.isPending}>{t('due.cancel')}</Button>
          {campaign.due_at && <Button data-danger onClick={() => save(null)} disabled={set.isPending}>{t('due.remove')}</Button>}
        </div>
      </form>
    </Dialog>
  )
}
