import type { UseQueryResult } from '@tanstack/react-query'
import { wordsFor } from '@/api/problem'
import type { BulkResult } from '@/api/types'
import { count } from '@/lib/time'
import { Failure, Note } from '@/ui/Page'
import { Warnings } from '@/ui/Warnings'
import { clausesOf, reasonKey, type Clause } from './outcome'
import { OldAndNew } from './OldAndNew'
import { useManageText, type ManageKey } from './text'
import styles from './ManagePage.module.css'

interface PreviewProps {
  kind: 'insert' | 'remove' | 'move'
  status: string
  /** What to do before there is anything to preview, or null. */
  waiting: ManageKey | null
  preview: UseQueryResult<BulkResult>
}

/** What Execute will do: a sentence, the first of the changes, and who is left out. */
export function Preview({ kind, status, waiting, preview }: PreviewProps) {
  const t = useManageText()
  return (
    <div className={styles.preview}>
      <h3>{t('bulk.preview')}</h3>
      {waiting !== null && <p className="quiet">{t(waiting)}</p>}
      {waiting === null && preview.isPending && <p role="status">{t('bulk.checking')}</p>}
      {waiting === null && preview.isError && <Failure text={wordsFor(preview.error, t)} onRetry={() => void preview.refetch()} />}
      {waiting === null && preview.data && (
        <>
          <Sentence clauses={clausesOf(kind, preview.data)} status={status} />
          <Warnings sentences={preview.data.warnings} />
          <First result={preview.data} />
          <LeftOut result={preview.data} />
        </>
      )}
    </div>
  )
}

function Sentence({ clauses, status }: { clauses: Clause[]; status: string }) {
  const t = useManageText()
  return (
    <p className={styles.sentence} role="status">
      {clauses.map(({ key, n }) => t(key, { n: count(n), status })).join(', ')}.
    </p>
  )
}

/** The first of the changes, old and new. */
function First({ result: { updated, preview: vehicles } }: { result: BulkResult }) {
  const t = useManageText()
  return (
    <>
      <OldAndNew vehicles={vehicles} />
      {updated > vehicles.length && <p className="quiet">{t('bulk.more', { n: count(updated - vehicles.length) })}</p>}
    </>
  )
}

const LISTED = 200

/** The skipped and the missing, folded beneath. */
function LeftOut({ result: { skipped, not_found } }: { result: BulkResult }) {
  const t = useManageText()
  const inWords = (reason: string) => {
    const key = reasonKey(reason)
    return key === null ? reason : t(key)
  }
  return (
    <>
      <Names title={t('bulk.skipped', { n: count(skipped.length) })} names={skipped.map(({ vin, reason }) => `${vin} · ${inWords(reason)}`)} />
      <Names title={t('bulk.missing', { n: count(not_found.length) })} names={not_found} />
    </>
  )
}

function Names({ title, names }: { title: string; names: string[] }) {
  const t = useManageText()
  if (names.length === 0) return null
  return (
    <details className={styles.names}>
      <summary>{title}</summary>
      <ul>
        {names.slice(0, LISTED).map((name, index) => (
          <li key={`${index} ${name}`}>{name}</li>
        ))}
        {names.length > LISTED && <li className="quiet">{t('bulk.more', { n: count(names.length - LISTED) })}</li>}
      </ul>
    </details>
  )
}

/** What was done, beside the tool that did it. */
export function Result({ result }: { result: BulkResult }) {
  const t = useManageText()
  return (
    <Note kind="success">
      <p>{doneWords(result, t)}</p>
      <Warnings sentences={result.warnings} />
      <LeftOut result={result} />
    </Note>
  )
}

export const doneWords = ({ updated, skipped, not_found }: BulkResult, t: ReturnType<typeof useManageText>): string =>
  t(updated === 1 ? 'bulk.doneOne' : 'bulk.done', { updated: count(updated), skipped: count(skipped.length), missing: count(not_found.length) })
