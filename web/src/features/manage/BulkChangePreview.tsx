import type { ReactNode } from 'react'
import type { UseQueryResult } from '@tanstack/react-query'
import { getErrorMessage } from '@/api/apiProblem'
import type { BulkResult, Job, PreviewedVehicle } from '@/api/types'
import { formatCount } from '@/lib/format'
import { Button } from '@/ui/Button'
import { Alert, ErrorNotice } from '@/ui/Page'
import { ServerWarnings } from '@/ui/ServerWarnings'
import { AffectedValues } from './AffectedValues'
import { MAX_PREVIEWED_VEHICLES } from './api'
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
  /** The same preview with more vehicles in its list, requested by 'Show all'. */
  longer: UseQueryResult<BulkResult>
  onShowAll: () => void
  /** The button that executes the change, shown between the summary and the vehicles. */
  children: ReactNode
}

/**
 * Preview of a bulk change: a summary sentence, the button that executes the change, the first changed vehicles, and the unchanged
 * vehicles.
 */
export function BulkChangePreview({ kind, status, waiting, preview, longer, onShowAll, children }: PreviewProps) {
  const t = useManageText()
  const result = waiting === null ? preview.data : undefined
  const vehicles = longer.data?.preview ?? result?.preview ?? []
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
          <ChangedVehicleTable vehicles={vehicles} />
          <ListedVehicles listed={vehicles.length} total={result.updated} busy={longer.isFetching} onShowAll={onShowAll} />
          {longer.isError && <ErrorNotice text={getErrorMessage(longer.error, t)} onRetry={() => void longer.refetch()} />}
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

interface ListedVehiclesProps {
  listed: number
  total: number
  busy: boolean
  onShowAll: () => void
}

/** Number of listed and of all changed vehicles, and a button that lists more of them. Renders nothing when all are listed. */
function ListedVehicles({ listed, total, busy, onShowAll }: ListedVehiclesProps) {
  const t = useManageText()
  const most = Math.min(total, MAX_PREVIEWED_VEHICLES)
  return (
    <>
      <ListedCount listed={listed} total={total} />
      {listed < most && (
        <Button busy={busy} onClick={onShowAll}>
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
