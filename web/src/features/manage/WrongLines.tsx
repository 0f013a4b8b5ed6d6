import { count } from '@/lib/time'
import { Note } from '@/ui/Page'
import { useManageText } from './text'

const LISTED = 20

/** The first of the lines that hold an execution. */
export function WrongLines({ lines, total }: { lines: string[]; total: number }) {
  const t = useManageText()
  return (
    <Note kind="error">
      <strong>{t('bulk.errors', { n: count(total) })}</strong>
      <ul>
        {lines.slice(0, LISTED).map((text, index) => (
          <li key={`${index} ${text}`}>{text}</li>
        ))}
        {total > LISTED && <li>{t('bulk.more', { n: count(total - LISTED) })}</li>}
      </ul>
    </Note>
  )
}
