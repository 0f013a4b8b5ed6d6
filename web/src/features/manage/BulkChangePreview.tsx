import type { ReactNode } from 'react'
import type { UseQueryResult } from '@tanstack/react-query'
import { getErrorMessage } from '@/api/apiProblem'
import type { BulkResult, Job, PreviewedVehicle } from '@/api/types'
import { formatCount } from '@/lib/format'
import { Alert, ErrorNotice } from '@/ui/Page'
import { ServerWarnings } from '@/ui/ServerWarnings'
import { ListedCount } from './BulkVehicleTable'
import { ChangedVehicleTable } from './ChangedVehicleTable'
import { listSummaryClauses, type SummaryClause } from './bulkSummary'
import { listBulkOutcomeRows } from './bulkOutcomeRows'
import { FilterableBulkOutcomeTable } from './FilterableBulkOutcomeTable'
import { PreviewBox, PreviewSummary } from './PreviewBox'
import { useManageText, type ManageTextKey } from './text'
import { UnchangedVehicleLists } from './UnchangedVehicleLists'
import { UndoLastChangeButton } from './UndoLastChangeButton'

interface PreviewProps {
  kind: 'insert' | 'remove' | 'move'
  status: string
  /** Text key of the hint shown while the form is incomplete and has no preview; `null` when a preview can be shown. */
  waiting: ManageTextKey | null
  preview: UseQueryResult<BulkResult>
  /** The button that executes the change, shown between the summary and the vehicles. */
  children: ReactNode
}

/**
 * Preview of a bulk change: a summary sentence, the button that executes the change, the first changed vehicles, and the unchanged
 * vehicles.
 */
export function BulkChangePreview({ kind, status, waiting, preview, children }: PreviewProps) {
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
          <ServerWarnings sentences={result.warnings} />
        </>
      )}
      {children}
      {result && (
        <>
          <First result={result} />
          <UnchangedVehicleLists result={result} />
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

/** Table of the changed vehicles that the server lists in its preview, and how many of all changed vehicles these are. */
function First({ result: { updated, preview: vehicles } }: { result: BulkResult }) {
  return (
    <>
      <ChangedVehicleTable vehicles={vehicles} />
      <ListedCount listed={vehicles.length} total={updated} />
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
