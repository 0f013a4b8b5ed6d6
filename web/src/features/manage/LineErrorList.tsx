import { formatCount } from '@/lib/time'
import { Alert } from '@/ui/Page'
import { useManageText } from './text'

const LISTED = 20

/** List of the first input lines with errors. The errors have to be corrected before the Execute button is enabled. */
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
