import { useEffect, useRef, useState, type KeyboardEvent } from 'react'
import { CONFLICT_SIDES } from '@/api/conflicts'
import { focusFirstRowOnArrowDown } from '@/lib/focusFirstRowOnArrowDown'
import { useKeyboardHelpEntries } from '@/lib/keyboardHelp'
import { formatTimeAgo, useCurrentTime } from '@/lib/timeAgo'
import { VEHICLE_FIELD_LABELS } from '@/lib/vehicleFields'
import { Link } from '@/lib/route'
import { useLanguage } from '@/lib/text'
import { formatDate, formatTime } from '@/lib/format'
import { MonospaceVin } from '@/ui/MonospaceVin'
import { Alert } from '@/ui/Page'
import table from '@/ui/Table.module.css'
import { countUnresolvedConflicts, ContentOrMessage, VehicleParkingSpaceSign, ConflictSideView, ConflictBaseValue, type CampaignConflicts, type ConflictProps } from './ConflictParts'
import { createScannerTypingFilter } from './scannerTypingFilter'
import { useConflictsText } from './text'
import styles from './ConflictTable.module.css'

interface ConflictTableProps {
  groups: CampaignConflicts[]
  propsOf: (conflict: ConflictProps['conflict']) => ConflictProps
}

/** Conflicts as a table, one row each, below the name of their campaign. */
export function ConflictTable({ groups, propsOf }: ConflictTableProps) {
  const t = useConflictsText()
  useKeyboardHelpEntries([
    { keys: ['1', '2'], label: t('conflicts.keyTake') },
    { keys: ['↑', '↓'], label: t('conflicts.keyRow') },
  ])
  const frame = useRef<HTMLDivElement>(null)
  useEffect(() => focusFirstRowOnArrowDown(() => frame.current?.querySelector<HTMLElement>('tr[tabindex]')?.focus()), [])
  return (
    <div className={table.frame} ref={frame}>
      <table className={`${table.table} ${styles.table}`}>
        <caption className="sr-only">{t('conflicts.title')}</caption>
        <thead>
          <tr>
            <th scope="col">{t('vehicles.space')}</th>
            <th scope="col">{t('vehicles.vin')}</th>
            <th scope="col">{t('conflicts.field')}</th>
            <th scope="col">{t('conflicts.first')}</th>
            <th scope="col">{t('conflicts.second')}</th>
            <th scope="col">{t('conflicts.since')}</th>
          </tr>
        </thead>
        {groups.map(({ id, name, conflicts }) => (
          <tbody key={id}>
            <tr className={styles.campaign}>
              <th scope="rowgroup" colSpan={6}>
                <Link href={`/campaign/${id}`} className={styles.campaignLink}>
                  {name}
                </Link>{' '}
                {countUnresolvedConflicts(conflicts.map(propsOf))}
              </th>
            </tr>
            {conflicts.map((conflict) => (
              <Row key={conflict.id} {...propsOf(conflict)} />
            ))}
          </tbody>
        ))}
      </table>
    </div>
  )
}

const CHOICES = new Map(CONFLICT_SIDES.map((side, index) => [String(index + 1), side]))
const STEPS: Record<string, number> = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }

/** Moves the focus by a number of rows, skipping the headings of campaigns. */
function focusNeighbour(row: HTMLElement, step: number): void {
  const rows = [...(row.closest('table')?.querySelectorAll<HTMLElement>('tr[tabindex]') ?? [])]
  rows[rows.indexOf(row) + step]?.focus()
}

function Row({ error, ...rest }: ConflictProps) {
  const t = useConflictsText()
  const language = useLanguage()
  const now = useCurrentTime()
  const { conflict, mayDecide, outcome, onResolve } = rest
  const { vehicle_id, vin_number, field, state, mine_at } = conflict
  const [takeKey] = useState(createScannerTypingFilter)
  const decides = state === 'open' && outcome === null && mayDecide
  const press = (event: KeyboardEvent<HTMLElement>) => {
    if (event.ctrlKey || event.metaKey || event.altKey || (event.repeat && CHOICES.has(event.key))) return
    const row = event.currentTarget
    const step = STEPS[event.key]
    if (step !== undefined) {
      event.preventDefault()
      focusNeighbour(row, step)
    }
    const side = CHOICES.get(event.key)
    takeKey(event.timeStamp, () => {
      if (side === undefined || !decides || rest.busy) return
      focusNeighbour(row, 1)
      onResolve(side)
    })
  }
  return (
    <tr tabIndex={0} aria-keyshortcuts={decides ? '1 2' : undefined} onKeyDown={press}>
      <td>
        <VehicleParkingSpaceSign vehicle={vehicle_id} />
      </td>
      <td>
        <Link href={`/vehicle/${vehicle_id}`} className={styles.vin}>
          <MonospaceVin vin={vin_number} />
        </Link>
      </td>
      <td>
        <strong>{t(VEHICLE_FIELD_LABELS[field])}</strong>
        <ConflictBaseValue conflict={conflict} />
        {state === 'open' && !mayDecide && (
          <ContentOrMessage message={outcome === null ? null : t('conflicts.ended')}>
            <p className="quiet">{t('conflicts.onlySupervisor')}</p>
          </ContentOrMessage>
        )}
        {error !== null && <Alert kind="error">{error}</Alert>}
      </td>
      {CONFLICT_SIDES.map((side) => (
        <td key={side}>
          <ConflictSideView side={side} {...rest} />
        </td>
      ))}
      <td>
        <time dateTime={mine_at} title={`${formatDate(mine_at)} ${formatTime(mine_at)}`}>
          {formatTimeAgo(Date.parse(mine_at), now, language)}
        </time>
      </td>
    </tr>
  )
}
