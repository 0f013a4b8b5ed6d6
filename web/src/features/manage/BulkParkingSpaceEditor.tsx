import { useState } from 'react'
import { createFormDraftHook } from '@/api/formDrafts'
import { getErrorMessage } from '@/api/apiProblem'
import type { BulkParkingSpaceRequest, PreviewedVehicle } from '@/api/types'
import { parseId } from '@/lib/route'
import { formatCount } from '@/lib/format'
import { TextArea } from '@/ui/Field'
import { Alert } from '@/ui/Page'
import { showToast } from '@/ui/Toast'
import { useChangeParkingSpaces, usePreviewParkingSpaceChange } from './api'
import { MAX_BULK_LINES, parseParkingSpaceLines } from './bulkInputLines'
import { formatBulkChangeSummary, BulkChangePreview, BulkChangeResult } from './BulkChangePreview'
import { CampaignScopeSelect } from './CampaignScopeSelect'
import { ExecuteButton } from './ExecuteButton'
import { ToolLayout } from './ToolLayout'
import { useManageText, type ManageTextKey } from './text'
import { useDebouncedInput } from './useDebouncedInput'
import { usePreviewLength } from './usePreviewLength'
import { useSelectionFromVehicleList } from './useSelectionFromVehicleList'
import { LineErrorList } from './LineErrorList'

const useEntry = createFormDraftHook({ text: '', scope: '' })

/** Tool that moves the vehicles in a pasted list to other parking spaces. */
export function BulkParkingSpaceEditor({ yard }: { yard: number | null }) {
  const t = useManageText()
  const [entry, setEntry] = useEntry()
  useSelectionFromVehicleList('space', ({ vins, spaces, campaign }) => setEntry({ text: vins.map((vin, at) => `${vin} ${spaces[at] ?? ''}`).join('\n'), scope: String(campaign) }))
  const { text, scope } = entry
  const rested = useDebouncedInput(text)
  const [changed, setChanged] = useState<PreviewedVehicle[]>([])
  const change = useChangeParkingSpaces()

  const { rows, wrong } = parseParkingSpaceLines(text)
  const obstacle: ManageTextKey | null = wrong.length > 0 ? 'bulk.needsNoErrors' : rows.length === 0 ? 'bulk.needsVins' : rows.length > MAX_BULK_LINES ? 'bulk.needsFewer' : null
  const ready = obstacle === null
  const body: BulkParkingSpaceRequest = { rows, yard, campaign_id: parseId(scope) }
  const { limit, list } = usePreviewLength(entry)
  const preview = usePreviewParkingSpaceChange(ready && text === rested ? { ...body, ...limit } : null)
  const execute = () => change.mutate(body, {
    onSuccess: (result) => {
      setChanged(preview.data?.preview ?? [])
      showToast('success', formatBulkChangeSummary(result, t))
      if (result.not_found.length > 0) showToast('info', t('bulk.some'))
      setEntry({ ...entry, text: '' })
    },
    onError: () => showToast('error', t('bulk.spaceFailed')),
  })
  return (
    <ToolLayout
      entry={<>
        <CampaignScopeSelect value={scope} onChange={(campaign) => setEntry({ ...entry, scope: campaign })} />
        <TextArea label={t('bulk.rows')} hint={`${t('bulk.rowsHint')} ${t('bulk.lines', { n: formatCount(rows.length + wrong.length) })}`} placeholder="HB20 000123 A-12" value={text} rows={5} spellCheck={false}
          error={rows.length > MAX_BULK_LINES ? t('bulk.tooMany', { n: formatCount(MAX_BULK_LINES) }) : null}
          onChange={(event) => {
            change.reset()
            setEntry({ ...entry, text: event.target.value })
          }} />
        {wrong.length > 0 && <LineErrorList lines={wrong.map(({ line, problem }) => t('bulk.line', { line, problem: t(problem) }))} total={wrong.length} />}
      </>}
      outcome={<>
        <BulkChangePreview kind="move" status="" preview={preview} {...list}
          waiting={wrong.length > 0 ? 'bulk.repairFirst' : rows.length === 0 ? 'bulk.nothing' : null}>
          <ExecuteButton obstacle={obstacle} busy={change.isPending} onExecute={execute} />
          {change.error && <Alert kind="error">{`${t('bulk.spaceFailed')}. ${getErrorMessage(change.error, t)}`}</Alert>}
        </BulkChangePreview>
        {change.data && <BulkChangeResult kind="parking-space" result={change.data} changed={changed} />}
      </>}
    />
  )
}
