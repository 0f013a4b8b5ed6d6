import { Button } from '@/ui/Button'
import { Alert } from '@/ui/Page'
import { useHistoryText } from './text'

/** Reason why the history cannot be shown, with a 'Try again' button. Does not interrupt screen readers, because the form stays usable. */
export function HistoryNotice({ text, onRetry }: { text: string; onRetry: () => void }) {
  const t = useHistoryText()
  return (
    <Alert kind="warning">
      <p>{text}</p>
      <Button onClick={onRetry}>{t('common.tryAgain')}</Button>
    </Alert>
  )
}
