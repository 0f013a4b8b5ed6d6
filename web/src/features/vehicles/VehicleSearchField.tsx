import { useEffect, useRef, useState } from 'react'
import { TextField } from '@/ui/Field'
import { MonospaceVin } from '@/ui/MonospaceVin'
import { VehicleStatusBadge } from '@/ui/Status'
import type { VehicleMatchResult } from '@/lib/match'
import { playScanFeedback } from '@/lib/scanFeedback'
import type { ListedVehicle } from '@/api/types'
import { useInspectionText } from './text'
import type { VehicleLookup } from './useVehicleLookup'
import styles from './VehicleSearchField.module.css'

const LISTED = 6
const LONG_ENOUGH = 4

export const listMatchedVehicles = (found: VehicleMatchResult<ListedVehicle> | null): ListedVehicle[] =>
  found === null || found.kind === 'none' ? [] : found.kind === 'one' ? [found.vehicle] : found.vehicles

interface VehicleSearchFieldProps {
  /** Id of the form, for a submit button outside of the form. */
  id: string
  lookup: VehicleLookup
  text: string
  onType: (text: string) => void
  onOpen: (id: number) => void
  /**
   * Whether to move the focus to the field. True after the person has asked to type, for example with the Manual button; false when the
   * field is shown only because the camera does not work.
   */
  focused: boolean
  /** Called when the field receives the focus. */
  onFocus: () => void
}

/** Field that finds a vehicle by its typed VIN, the end of its VIN or its parking space, when its label cannot be scanned. */
export function VehicleSearchField({ id, lookup, text, onType, onOpen, focused, onFocus }: VehicleSearchFieldProps) {
  const t = useInspectionText()
  const [isAsked, setIsAsked] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (focused) form.current?.querySelector('input')?.focus()
  }, [focused])
  const isTooShort = text.trim().length < LONG_ENOUGH
  const found = [...new Set([...lookup.findAtSpace(text), ...listMatchedVehicles(isTooShort ? null : lookup.find(text))])]
  return (
    <form ref={form} id={id} className={styles.find} role="search" aria-label={t('walk.find')} onSubmit={(event) => {
      event.preventDefault()
      setIsAsked(text.trim() !== '')
      if (text.trim() === '') form.current?.querySelector('input')?.focus()
      else if (found.length === 1 && found[0]) onOpen(found[0].id)
      else playScanFeedback('unknown')
    }}>
      <TextField label={t('vehicle.identifier')} className="mono" placeholder={t('walk.typeHere')} value={text} onFocus={onFocus} autoComplete="off" autoCapitalize="characters" autoCorrect="off" spellCheck={false}
        enterKeyHint="search" onChange={(event) => {
          setIsAsked(false)
          onType(event.target.value)
        }} />
      <VehicleChoiceList vehicles={found.slice(0, LISTED)} onOpen={onOpen} />
      {found.length > LISTED && <p role="status">{t('scan.more', { n: found.length - LISTED })}</p>}
      {found.length === 0 && (isTooShort ? isAsked && text !== '' && <p role="status">{t('walk.typeMore', { n: LONG_ENOUGH })}</p> : <p role="status">{t('scan.unknown', { text })}</p>)}
    </form>
  )
}

/** List of vehicles to choose from, with parking space and status. */
export function VehicleChoiceList({ vehicles, onOpen }: { vehicles: ListedVehicle[]; onOpen: (id: number) => void }) {
  const t = useInspectionText()
  return (
    <ul className={styles.picks}>
      {vehicles.map(({ id, vin_number, parking_space, status, inspected }) => (
        <li key={id}>
          <button type="button" className={styles.pick} onClick={() => onOpen(id)}>
            <MonospaceVin vin={vin_number} />
            <span>{t('scan.at', { space: parking_space })}</span>
            <VehicleStatusBadge status={status} inspected={inspected} />
          </button>
        </li>
      ))}
    </ul>
  )
}
