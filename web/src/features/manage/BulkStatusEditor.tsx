import { useState } from 'react'
import { createFormDraftHook } from '@/api/formDrafts'
import { getErrorMessage } from '@/api/apiProblem'
import type { BulkStatusRequest, PreviewedVehicle } from '@/api/types'
import { parseId } from '@/lib/route'
import { parseVehicleStatus, VEHICLE_STATUSES } from '@/lib/vehicleStatus'
import { formatCount } from '@/lib/format'
import { Select, TextArea } from '@/ui/Field'
import { Alert } from '@/ui/Page'
import { showToast } from '@/ui/Toast'
import { useChangeVehicleStatuses, usePreviewStatusChange } from './api'
import { MAX_BULK_LINES, parseVinLines } from './bulkInputLines'
import { hasVehiclesAlreadyAsRequested } from './bulkSummary'
import { formatBulkChangeSummary, BulkChangePreview, BulkChangeResult } from './BulkChangePreview'
import { CampaignScopeSelect } from './CampaignScopeSelect'
import { ExecuteButton } from './ExecuteButton'
import { ToolLayout } from './ToolLayout'
import { useManageText, type ManageTextKey } from './text'
import { useDebouncedInput } from './useDebouncedInput'
import { usePreviewLength } from './usePreviewLength'
import { useSelectionFromVehicleList } from './useSelectionFromVehicleList'
import styles from './BulkStatusEditor.module.css'

interface Entry {
  text: string
  action: BulkStatusRequest['action']
  status: string
  /** Id of the campaign to which the change is limited, or '' for all campaigns. */
  scope: string
}

const NOTHING: Entry = { text: '', action: 'insert', status: '', scope: '' }
const useEntry = createFormDraftHook(NOTHING)

/** Tool that sets or removes the status of the vehicles in a pasted list. */
export function BulkStatusEditor({ yard }: { yard: number | null }) {
  const t = useManageText()
  const [entry, setEntry] = useEntry()
  useSelectionFromVehicleList('status', ({ vins: selected, campaign }) => setEntry((before) => ({ ...before, text: selected.join('\n'), scope: String(campaign) })))
  const { text, action, status, scope } = entry
  const rested = useDebouncedInput(text)
  const [changed, setChanged] = useState<PreviewedVehicle[]>([])
  const change = useChangeVehicleStatuses()

  const vins = parseVinLines(text)
  const chosen = action === 'remove' || parseVehicleStatus(status) !== ''
  const obstacle: ManageTextKey | null = vins.length === 0 ? 'bulk.needsVins' : vins.length > MAX_BULK_LINES ? 'bulk.needsFewer' : chosen ? null : 'bulk.needsStatus'
  const ready = obstacle === null
  const bodyOf = (list: string[]): BulkStatusRequest => ({
    vins: list, action, yard, campaign_id: parseId(scope), ...(action === 'insert' ? { status: parseVehicleStatus(status) } : {}),
  })
  const { limit, list } = usePreviewLength(entry)
  const preview = usePreviewStatusChange(ready && text === rested ? { ...bodyOf(vins), ...limit } : null)
  const execute = () => change.mutate(bodyOf(vins), {
    onSuccess: (result) => {
      setChanged(preview.data?.preview ?? [])
      showToast('success', formatBulkChangeSummary(result, t))
      if (action === 'insert' && hasVehiclesAlreadyAsRequested(result)) showToast('info', t('bulk.already'))
      if (result.not_found.length > 0 || (action === 'remove' && hasVehiclesAlreadyAsRequested(result))) showToast('info', t('bulk.some'))
      setEntry({ ...entry, text: '' })
    },
    onError: () => showToast('error', t('bulk.statusFailed')),
  })
  return (
    <ToolLayout
      entry={<>
        <fieldset className={styles.actions}>
          <legend>{t('bulk.action')}</legend>
          {(['insert', 'remove'] as const).map((choice) => (
            <label key={choice} className={styles.radio}>
              <input type="radio" name="bulk-action" checked={action === choice} onChange={() => setEntry({ ...entry, action: choice })} />
              {t(choice === 'insert' ? 'bulk.insert' : 'bulk.remove')}
            </label>
          ))}
        </fieldset>
        {action === 'insert' ? (
          <Select label={t('vehicles.status')} value={status} onChange={(event) => setEntry({ ...entry, status: event.target.value })}>
            <option value="">{t('bulk.chooseStatus')}</option>
            {VEHICLE_STATUSES.map((choice) => (
              <option key={choice}>{choice}</option>
            ))}
          </Select>
        ) : (
          <p className="quiet">{t('bulk.removeHint')}</p>
        )}
        <CampaignScopeSelect value={scope} onChange={(campaign) => setEntry({ ...entry, scope: campaign })} />
        <TextArea label={t('bulk.vins')} hint={`${t('bulk.vinsHint')} ${t('bulk.lines', { n: formatCount(vins.length) })}`} value={text} rows={5} spellCheck={false}
          error={vins.length > MAX_BULK_LINES ? t('bulk.tooMany', { n: formatCount(MAX_BULK_LINES) }) : null}
          onChange={(event) => {
            change.reset()
            setEntry({ ...entry, text: event.target.value })
          }} />
      </>}
      outcome={<>
        <BulkChangePreview kind={action} status={status} preview={preview} {...list}
          waiting={vins.length === 0 ? 'bulk.nothing' : chosen ? null : 'bulk.chooseFirst'}>
          <ExecuteButton obstacle={obstacle} busy={change.isPending} onExecute={execute} />
          {change.error && <Alert kind="error">{`${t('bulk.statusFailed')}. ${getErrorMessage(change.error, t)}`}</Alert>}
        </BulkChangePreview>
        {change.data && <BulkChangeResult kind="status" result={change.data} changed={changed} />}
      </>}
    />
  )
}
