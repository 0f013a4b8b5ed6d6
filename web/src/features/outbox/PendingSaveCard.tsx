import { getErrorMessage, ApiProblem } from '@/api/apiProblem'
import { formatTimeAgo, useCurrentTime } from '@/lib/timeAgo'
import { writeInspectionDraft } from '@/lib/inspectionDrafts'
import type { VehicleFields } from '@/lib/vehicleFields'
import { buildPath, navigate } from '@/lib/route'
import { useStore } from '@/lib/store'
import { useLanguage } from '@/lib/text'
import { getMismatchedServerVin, deleteOutboxEntry, useOutbox, type PendingSave, type OutboxEntry, type SaveRejection } from '@/offline/outbox'
import { Button } from '@/ui/Button'
import { DiscardSaveButton, VehicleMismatchQuestion } from '@/ui/VehicleMismatchQuestion'
import { VehicleStatusBadge } from '@/ui/Status'
import { OutboxCardActions, OutboxCardHeader, OutboxCardErrorText, OutboxCard } from './OutboxLayout'
import { useOutboxText, type OutboxTextKey } from './text'
import styles from './PendingSaveCard.module.css'

/**
 * Card of one pending or rejected save, with buttons to retry, edit or discard it. If the server has a different VIN for the vehicle, the
 * card instead asks what to do with the save. With `isAsking` false, the card does not ask, because another card already does.
 */
export function PendingSaveCard({ entry, isAsking = true }: { entry: OutboxEntry; isAsking?: boolean }) {
  const t = useOutboxText()
  const now = useCurrentTime()
  const language = useLanguage()
  const { vin, space, campaign_name, state, reason, at } = entry
  const outbox = useOutbox()
  const isSending = useStore(outbox.sending) === entry.id
  const other = getMismatchedServerVin(entry)
  const waitsForAnswer = other !== null && !isAsking
  const shown = isSending ? 'sending' : state === 'refused' && !waitsForAnswer ? 'refused' : 'waiting'
  const discard = () => deleteOutboxEntry(entry.seq)
  return (
    <OutboxCard isRefused={shown === 'refused'}>
      <OutboxCardHeader space={space} vin={vin} state={shown} text={t(waitsForAnswer ? 'outbox.waitsForAnswer' : other === null ? `outbox.${shown}` : 'outbox.asks')} />
      <PendingSaveChanges entry={entry} />
      {reason !== null && other === null && <Reason reason={reason} />}
      <p className="quiet">
        {campaign_name} · <time dateTime={new Date(at).toISOString()}>{formatTimeAgo(at, now, language)}</time>
      </p>
      {other !== null && isAsking && <VehicleMismatchQuestion inspectedVin={vin} serverVin={other} onYes={() => void outbox.retryForCurrentVehicle(entry)} onDiscard={discard} />}
      {!isSending && other === null && (
        <OutboxCardActions>
          {state === 'refused' && (
            <Button aria-label={t('outbox.retryLabel', { vin })} onClick={() => void outbox.retry(entry)}>
              {t('outbox.retry')}
            </Button>
          )}
          {reason?.status !== GONE && (
            <Button icon="pencil" aria-label={t('outbox.editLabel', { vin })} onClick={() => edit(entry)}>
              {t('outbox.edit')}
            </Button>
          )}
          <DiscardSaveButton vin={vin} onDiscard={discard} />
        </OutboxCardActions>
      )}
    </OutboxCard>
  )
}

/** HTTP status with which the server rejects a save whose vehicle was deleted. The card of that save has no Edit button. */
const GONE = 404

const EMPTY: VehicleFields = { status: '', operator_notes: '', admin_notes: '', vin_number: '', parking_space: '' }

/** Opens the vehicle with the values of this save as a draft. Saving the draft replaces this save. */
function edit({ seq, owner, vehicle, vin, version, change, origin, yard }: OutboxEntry): void {
  const base = { ...EMPTY, vin_number: vin, ...change.base }
  writeInspectionDraft(owner, vehicle, { ...base, ...change.wanted, base, identifier: vin, scanned: origin === 'scanned', version, replaces: seq })
  navigate(buildPath(`/vehicle/${vehicle}`, { yard }))
}

/** Values that a save changes, with the labels of the vehicle screen. */
export function PendingSaveChanges({ entry: { change: { wanted } } }: { entry: PendingSave }) {
  const t = useOutboxText()
  const { status, operator_notes, admin_notes, vin_number, parking_space } = wanted
  const notes = [operator_notes, admin_notes].filter((text) => text !== undefined)
  return (
    <div className={styles.changes}>
      {status !== undefined && <VehicleStatusBadge status={status} />}
      {vin_number !== undefined && <span>{t('outbox.vin', { text: vin_number })}</span>}
      {parking_space !== undefined && <span>{t('outbox.space', { text: parking_space })}</span>}
      {notes.map((text) => (
        <span key={text} className={styles.note}>{text === '' ? t('outbox.noNotes') : t('outbox.notes', { text })}</span>
      ))}
      {Object.keys(wanted).length === 0 && <span>{t('outbox.inspected')}</span>}
    </div>
  )
}

const REASONS: Record<string, OutboxTextKey> = { STALE_VERSION: 'outbox.changed', NO_VEHICLE: 'outbox.gone', NO_CAMPAIGN: 'outbox.gone', NOT_FOUND: 'outbox.gone', STATUS_NOT_ALLOWED: 'outbox.statusNotAllowed' }

/** Reason why the server rejected a save: this screen's text for a known error code, else the server's sentence. */
function Reason({ reason: { status, code, message } }: { reason: SaveRejection }) {
  const t = useOutboxText()
  const key = REASONS[code]
  const why = key === undefined ? getErrorMessage(new ApiProblem(status, code, message), t) : t(key)
  return <OutboxCardErrorText>{t('outbox.reason', { why })}</OutboxCardErrorText>
}
