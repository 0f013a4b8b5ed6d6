import type { RefObject } from 'react'
import type { Vehicle } from '@/api/types'
import { Button } from '@/ui/Button'
import { TextField } from '@/ui/Field'
import { useScanText } from './text'
import type { Identification } from './useIdentification'
import type { Inspection } from './useInspection'
import { ScanResult } from './ScanResult'
import styles from './IdentifyVehicle.module.css'

interface IdentifyProps {
  vehicle: Vehicle
  yard: number | null
  inspection: Inspection
  identification: Identification
  /** Whether the step is collapsed. Another component, `FoldedResult`, then shows the result of the scan. */
  folded: boolean
  field: RefObject<HTMLDivElement | null>
  onManual: () => void
  /** Called when the person has finished typing a matching identifier. */
  onDone: () => void
}

/** Identifier field of the inspection: filled by a scan, or typed after a tap on Manual. */
export function IdentifyVehicle({ vehicle, yard, inspection, identification, folded, field, onManual, onDone }: IdentifyProps) {
  const t = useScanText()
  const { entry, identified, change, saved } = inspection
  const { manual, lookup, startScan } = identification
  return (
    <div className={styles.identify} ref={field}>
      <TextField label={t('vehicle.identifier')} className={`mono ${styles.identifier}`} value={entry.identifier} readOnly={!manual || saved}
        placeholder={t(manual ? 'vehicle.typeHere' : 'vehicle.chooseManual')} autoComplete="off" autoCapitalize="characters" autoCorrect="off" spellCheck={false} enterKeyHint="done"
        onChange={(event) => change({ identifier: event.target.value, scanned: false })} onKeyDown={(event) => event.key === 'Enter' && identified && onDone()} />
      {!folded && (
        <ScanResult vehicle={vehicle} yard={yard} entered={entry.identifier} scanned={entry.scanned === true} identified={identified} lookup={lookup}
          onThis={() => change({ identifier: vehicle.vin_number, scanned: true })} />
      )}
      {identified && !saved && (
        <div className={styles.ways}>
          <Button icon="scan" onClick={startScan}>{t('scan.again')}</Button>
          {!manual && <Button icon="keyboard" onClick={onManual}>{t('vehicle.manual')}</Button>}
        </div>
      )}
    </div>
  )
}
