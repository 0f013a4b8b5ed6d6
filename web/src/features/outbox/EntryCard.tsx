import { useState } from 'react'
import { kick, put, remove, sending, type Entry, type Refusal } from '@/api/outbox'
import { Problem, wordsFor } from '@/api/problem'
import { ago, useNow } from '@/lib/ago'
import { writeDraft } from '@/lib/drafts'
import type { Fields } from '@/lib/fields'
import { link, navigate } from '@/lib/route'
import { useStore } from '@/lib/store'
import { useLanguage } from '@/lib/text'
import { Button } from '@/ui/Button'
import { Confirm } from '@/ui/Dialog'
import { VehicleStatusBadge } from '@/ui/Status'
import { toast } from '@/ui/Toast'
import { useOutboxText, type OutboxKey } from './text'
import styles from './OutboxPage.module.css'

/** One save that the server does not have, and what can be done about it. */
export function EntryCard({ entry }: { entry: Entry }) {
  const t = useOutboxText()
  const now = useNow()
  const language = useLanguage()
  const [leaving, setLeaving] = useState(false)
  const { vin, space, campaign_name, state, reason, at } = entry
  const isSending = useStore(sending) === entry.id
  const shown = isSending ? 'sending' : state === 'refused' ? 'refused' : 'waiting'
  const retry = () => void put({ ...entry, state: 'waiting', reason: null }).then(kick)
  const discard = () => void remove(entry.seq ?? 0).then(() => toast('info', t('outbox.discarded')))
  return (
    <li className={styles.entry} data-state={shown}>
      <div className={styles.head}>
        <strong className="mono">{vin}</strong>
        <span className={styles[shown]}>{t(`outbox.${shown}`)}</span>
      </div>
      <Changes entry={entry} />
      {reason !== null && <Reason reason={reason} />}
      <p className="quiet">
        {space} · {campaign_name} · <time dateTime={new Date(at).toISOString()}>{ago(at, now, language)}</time>
      </p>
      {!isSending && (
        <div className={styles.answers}>
          {state === 'refused' && (
            <Button aria-label={t('outbox.retryLabel', { vin })} onClick={retry}>
              {t('outbox.retry')}
            </Button>
          )}
          <Button icon="pencil" aria-label={t('outbox.editLabel', { vin })} onClick={() => edit(entry)}>
            {t('outbox.edit')}
          </Button>
          <Button kind="quiet" icon="trash" aria-label={t('outbox.discardLabel', { vin })} onClick={() => setLeaving(true)}>
            {t('outbox.discard')}
          </Button>
        </div>
      )}
      {leaving && (
        <Confirm question={t('outbox.discardQuestion', { vin })} onYes={discard} onNo={() => setLeaving(false)}>
          <p>{t('outbox.discardText')}</p>
        </Confirm>
      )}
    </li>
  )
}

const EMPTY: Fields = { status: '', operator_notes: '', admin_notes: '', vin_number: '', parking_space: '' }

/** Opens the vehicle with this save as what was typed; it goes once the new one has taken its place. */
function edit({ seq, owner, vehicle, vin, version, change, origin, yard }: Entry): void {
  const base = { ...EMPTY, ...change.base }
  writeDraft(owner, vehicle, { ...base, ...change.wanted, base, identifier: vin, scanned: origin === 'scanned', version, replaces: seq })
  navigate(link(`/vehicle/${vehicle}`, { yard }))
}

/** What a save changes, in the words of its screen. */
export function Changes({ entry: { change: { wanted } } }: { entry: Entry }) {
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

const REASONS: Record<string, OutboxKey> = { STALE_VERSION: 'outbox.changed', NO_VEHICLE: 'outbox.gone', NO_CAMPAIGN: 'outbox.gone', NOT_FOUND: 'outbox.gone', STATUS_NOT_ALLOWED: 'outbox.statusNotAllowed' }

/** Why the server refused, in words of ours where there are some. */
function Reason({ reason: { status, code, message } }: { reason: Refusal }) {
  const t = useOutboxText()
  const key = REASONS[code]
  const why = key === undefined ? wordsFor(new Problem(status, code, message), t) : t(key)
  return <p className={styles.reason}>{t('outbox.reason', { why })}</p>
}
