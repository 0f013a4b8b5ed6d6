import { useText } from '@/lib/text'
import { Button } from '@/ui/Button'
import { Alert } from '@/ui/Page'

/** Reason why the history cannot be shown, with a 'Try again' button. */
export function HistoryFailure({ text, onRetry }: { text: string; onRetry: () => void }) {
  const t = useText()
  return (
    <Alert kind="warning">
      <p>{text}</p>
      <Button onClick={onRetry}>{t('common.tryAgain')}</Button>
    </Alert>
  )
}
