import type { BulkResult, PreviewedVehicle } from '@/api/types'
import { getSkipReasonTextKey } from './bulkSummary'
import type { ManageTextKey } from './text'

export type BulkOutcomeKind = 'updated' | 'skipped' | 'missing'

/** One vehicle of a bulk change: changed, skipped for a reason, or not found. */
export interface BulkOutcomeRow {
  kind: BulkOutcomeKind
  vin: string
  campaign: string
  /** Changed fields of an updated vehicle; empty for a vehicle that was skipped or not found. */
  changes: PreviewedVehicle['changes']
  /** Text key of the reason why the vehicle was skipped; `null` when `words` is shown instead. */
  reason: ManageTextKey | null
  /** Reason in the server's words, shown when the reason code has no text key. */
  words: string
}

const NO_REASON = { reason: null, words: '' } as const

/** Lists the vehicles of a bulk change: first the changed vehicles of the preview, then those not found, then those skipped. */
export function listBulkOutcomeRows({ skipped, not_found }: Pick<BulkResult, 'skipped' | 'not_found'>, changed: PreviewedVehicle[]): BulkOutcomeRow[] {
  return [
    ...changed.map(({ vin_number, campaign_name, changes }): BulkOutcomeRow => ({ kind: 'updated', vin: vin_number, campaign: campaign_name, changes, ...NO_REASON })),
    ...not_found.map((vin): BulkOutcomeRow => ({ kind: 'missing', vin, campaign: '', changes: [], ...NO_REASON })),
    ...skipped.map(({ vin, code, reason }): BulkOutcomeRow => ({ kind: 'skipped', vin, campaign: '', changes: [], reason: getSkipReasonTextKey(code), words: reason })),
  ]
}

/** Returns the rows of the given kind whose VIN contains the text. If `kind` is `null`, rows of all kinds are searched. */
export const filterBulkOutcomeRows = (rows: BulkOutcomeRow[], kind: BulkOutcomeKind | null, text: string): BulkOutcomeRow[] =>
  rows.filter((row) => (kind === null || row.kind === kind) && row.vin.toLowerCase().includes(text.trim().toLowerCase()))
