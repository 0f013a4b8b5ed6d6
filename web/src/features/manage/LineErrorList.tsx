import { formatCount } from '@/lib/format'
import { Alert } from '@/ui/Page'
import { useManageText } from './text'

const LISTED = 20

/** List of the errors in the input lines, at most `LISTED` of them. The errors must be corrected before the change can be executed. */
export function LineErrorList({ lines, total }: { lines: string[]; total: number }) {
  const t = useManageText()
  return (
    <Alert kind="error">
      <strong>{t('bulk.errors', { n: formatCount(total) })}</strong>
      <ul>
        {lines.slice(0, LISTED).map((text, index) => (
          <li key={`${index} ${text}`}>{text}</li>
        ))}
        {total > LISTED && <li>{t('bulk.more', { n: formatCount(total - LISTED) })}</li>}
      </ul>
    </Alert>
  )
}
