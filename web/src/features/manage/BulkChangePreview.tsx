import { useEffect, useRef, type ReactNode } from 'react'
import type { UseQueryResult } from '@tanstack/react-query'
import { getErrorMessage } from '@/api/apiProblem'
import type { BulkResult, Job, PreviewedVehicle } from '@/api/types'
import { formatCount } from '@/lib/format'
import { Button } from '@/ui/Button'
import { Alert, ErrorNotice } from '@/ui/Page'
import { ServerWarnings } from '@/ui/ServerWarnings'
import { AffectedValues } from './AffectedValues'
import { MAX_PREVIEWED_VEHICLES } from './api'
import { ChangedVehicleTable } from './ChangedVehicleTable'
import { listSummaryClauses, type SummaryClause } from './bulkSummary'
import { listBulkOutcomeRows } from './bulkOutcomeRows'
import { FilterableBulkOutcomeTable } from './FilterableBulkOutcomeTable'
import { PreviewBox, PreviewSummary } from './PreviewBox'
import { useManageText, type ManageTextKey } from './text'
import { MissingVehicleList, SkippedVehicleList } from './UnchangedVehicleLists'
import { UndoLastChangeButton } from './UndoLastChangeButton'

interface PreviewProps {
  kind: 'insert' | 'remove' | 'move'
  status: string
  /** Text key of the hint shown while the form is incomplete and has no preview; `null` when a preview can be shown. */
  waiting: ManageTextKey | null
  preview: UseQueryResult<BulkResult>
  /** Whether all vehicles of the preview were requested, not only the first ones. */
  showsAll: boolean
  onShowAll: () => void
  /** The button that executes the change, shown between the summary and the vehicles. */
  children: ReactNode
}

/**
 * Preview of a bulk change: a summary sentence, the button that executes the change, the VINs without a vehicle, the first changed
 * vehicles, and the skipped vehicles.
 */
export function BulkChangePreview({ kind, status, waiting, preview, showsAll, onShowAll, children }: PreviewProps) {
  const t = useManageText()
  const result = waiting === null ? preview.data : undefined
  return (
    <PreviewBox>
      {waiting !== null && <p className="quiet">{t(waiting)}</p>}
      {waiting === null && preview.isPending && <p role="status">{t('bulk.checking')}</p>}
      {waiting === null && preview.isError && <ErrorNotice text={getErrorMessage(preview.error, t)} onRetry={() => void preview.refetch()} />}
      {result && (
        <>
          <Sentence clauses={listSummaryClauses(kind, result)} status={status} />
          <AffectedValues result={result} removes={kind === 'remove'} />
          <ServerWarnings sentences={result.warnings} />
        </>
      )}
      {children}
      {result && (
        <>
          <MissingVehicleList result={result} />
          <ChangedVehicleTable vehicles={result.preview} />
          <ListedVehicles listed={result.preview.length} total={result.updated} isRequested={showsAll} onShowAll={onShowAll} />
          <SkippedVehicleList result={result} />
        </>
      )}
    </PreviewBox>
  )
}

function Sentence({ clauses, status }: { clauses: SummaryClause[]; status: string }) {
  const t = useManageText()
  return (
    <PreviewSummary>
      {clauses.map(({ key, n }) => t(key, { n: formatCount(n), status })).join(', ')}.
    </PreviewSummary>
  )
}

interface ListedVehiclesProps {
  listed: number
  total: number
  /** Whether the list of all vehicles was requested. */
  isRequested: boolean
  onShowAll: () => void
}

/**
 * Number of listed and of all changed vehicles, and a button that lists more of them. When the button has done so and disappears, the
 * focus moves to the number.
 */
function ListedVehicles({ listed, total, isRequested, onShowAll }: ListedVehiclesProps) {
  const t = useManageText()
  const count = useRef<HTMLParagraphElement>(null)
  const most = Math.min(total, MAX_PREVIEWED_VEHICLES)
  const isComplete = listed >= most
  useEffect(() => {
    if (isRequested && isComplete) count.current?.focus()
  }, [isRequested, isComplete])
  if (!isRequested && isComplete) return null
  return (
    <>
      <p ref={count} className="quiet" tabIndex={-1}>{t('bulk.listed', { n: formatCount(listed), total: formatCount(total) })}</p>
      {!isComplete && (
        <Button busy={isRequested} onClick={onShowAll}>
          {most === total ? t('bulk.listAll') : t('bulk.listFirst', { n: formatCount(most) })}
        </Button>
      )}
    </>
  )
}

const countOutcome = ({ updated, skipped, not_found }: BulkResult) => ({ updated, skipped: skipped.length, missing: not_found.length })

interface ResultProps {
  kind: Job['kind']
  result: BulkResult
  /** Changed vehicles from the preview, because the server's result of the change contains only their number. */
  changed: PreviewedVehicle[]
}

/** Result of an executed bulk change, shown below its tool: the counts, a button to undo it, and the vehicles as a table. */
export function BulkChangeResult({ kind, result, changed }: ResultProps) {
  const t = useManageText()
  return (
    <>
      <Alert kind="success">
        <p>{formatBulkChangeSummary(result, t)}</p>
        <ServerWarnings sentences={result.warnings} />
        <UndoLastChangeButton kind={kind} vehicles={result.updated} />
      </Alert>
      <FilterableBulkOutcomeTable rows={listBulkOutcomeRows(result, changed)} counts={countOutcome(result)} />
    </>
  )
}

export const formatBulkChangeSummary = ({ updated, skipped, not_found }: BulkResult, t: ReturnType<typeof useManageText>): string =>
  t('bulk.done', { updated: formatCount(updated), skipped: formatCount(skipped.length), missing: formatCount(not_found.length) })
