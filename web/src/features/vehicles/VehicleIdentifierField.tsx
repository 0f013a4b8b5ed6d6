import type { FocusEvent, RefObject } from 'react'
import { useMediaQuery } from '@/lib/useMediaQuery'
import type { Vehicle } from '@/api/types'
import { Button } from '@/ui/Button'
import { TextField } from '@/ui/Field'
import { useInspectionText } from './text'
import type { CollapsedSteps } from './useCollapsedSteps'
import type { VehicleIdentification } from './useVehicleIdentification'
import type { InspectionForm } from './useInspectionForm'
import { IdentificationResultMessage } from './IdentificationResultMessage'
import styles from './VehicleIdentifierField.module.css'

interface IdentifyProps {
  vehicle: Vehicle
  yard: number | null
  inspection: InspectionForm
  identification: VehicleIdentification
  /** State of the collapsible steps. While step 1 is collapsed, this component does not show the result of the scan. */
  collapsedSteps: CollapsedSteps
  /** Whether the Scan and Manual buttons are beside the field. */
  isDesktop: boolean
  field: RefObject<HTMLDivElement | null>
  onManual: () => void
  /** Called when the person presses Enter after typing a matching identifier. */
  onDone: () => void
}

/** Identifier field of the inspection: filled by a scan, or typed after a tap on the empty field or on Manual. */
export function VehicleIdentifierField({ vehicle, yard, inspection, identification, collapsedSteps, isDesktop, field, onManual, onDone }: IdentifyProps) {
  const t = useInspectionText()
  const { entry, identified, change, saved } = inspection
  const { manual, lookup, startScan } = identification
  const hasMouse = useMediaQuery('(pointer: fine)')
  const type = (identifier: string) => {
    change({ identifier, scanned: false })
    collapsedSteps.expand()
  }
  const leave = ({ currentTarget, relatedTarget }: FocusEvent) => identified && !currentTarget.contains(relatedTarget) && collapsedSteps.collapseAfterRelease()
  return (
    <div className={styles.identify} ref={field} onBlur={leave}>
      <div className={styles.row}>
        <TextField label={t('vehicle.identifier')} className={`mono ${styles.identifier}`} value={entry.identifier} readOnly={!manual || saved}
          placeholder={t(manual ? 'vehicle.typeHere' : 'vehicle.scanOrType')} autoComplete="off" autoCapitalize="characters" autoCorrect="off" spellCheck={false} enterKeyHint="done"
          onClick={() => !manual && !saved && entry.identifier === '' && onManual()} onChange={(event) => type(event.target.value)} onKeyDown={(event) => event.key === 'Enter' && identified && onDone()} />
        {isDesktop && !saved && (
          <>
            {!manual && <Button kind={hasMouse && !identified ? 'primary' : 'secondary'} icon="keyboard" onClick={onManual}>{t('vehicle.manual')}</Button>}
            <Button kind={hasMouse || identified ? 'secondary' : 'primary'} icon="scan" onClick={startScan}>{t(entry.identifier === '' ? 'scan.scan' : 'scan.again')}</Button>
          </>
        )}
      </div>
      {!collapsedSteps.isCollapsed(1) && (
        <IdentificationResultMessage vehicle={vehicle} yard={yard} entered={entry.identifier} scanned={entry.scanned === true} identified={identified} lookup={lookup}
          onThis={() => change({ identifier: vehicle.vin_number, scanned: true })} />
      )}
      {!isDesktop && identified && !saved && (entry.scanned === true || collapsedSteps.wasCollapsed) && (
        <div className={styles.ways}>
          <Button icon="scan" onClick={startScan}>{t('scan.again')}</Button>
          {!manual && <Button icon="keyboard" onClick={onManual}>{t('vehicle.manual')}</Button>}
        </div>
      )}
    </div>
  )
}
