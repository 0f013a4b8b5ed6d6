import { RejectedSaveError } from '@/offline/outbox'
import { getErrorMessage } from '@/api/apiProblem'
import { Alert } from '@/ui/Page'
import { useInspectionText } from './text'

/** Error message of a failed save. If the save stays in the outbox, the message adds that the typed values are not lost. */
export function SaveErrorAlert({ error }: { error: Error | null }) {
  const t = useInspectionText()
  if (error === null) return null
  return (
    <Alert kind="error">
      {t('vehicle.notSaved', { why: getErrorMessage(error, t) })}
      {error instanceof RejectedSaveError && ` ${t('vehicle.retained')}`}
    </Alert>
  )
}
