import { useId, useState } from 'react'
import type { Vehicle } from '@/api/types'
import { Button } from '@/ui/Button'
import { ConfirmSaveWithoutStatusDialog } from '@/ui/ConfirmSaveWithoutStatusDialog'
import { ConcurrentChangeNotice } from './ConcurrentChangeNotice'
import { StorageWarning } from './StorageWarning'
import { SaveErrorAlert } from './SaveErrorAlert'
import { useInspectionText } from './text'
import type { AfterSaveAction } from './useAfterSaveNavigation'
import type { VehicleIdentification } from './useVehicleIdentification'
import type { InspectionForm } from './useInspectionForm'
import styles from './SaveBar.module.css'

interface SaveBarProps {
  vehicle: Vehicle
  inspection: InspectionForm
  identification: VehicleIdentification
  /** Whether the Scan and Manual buttons are beside the identifier field instead of in this bar. */
  isDesktop: boolean
  onManual: () => void
}

/** Bar at the lower edge: Save and Go Next, Save and Exit, and Cancel. On a phone, also Scan and Manual until the vehicle is identified. */
export function SaveBar({ vehicle, inspection, identification, isDesktop, onManual }: SaveBarProps) {
  const t = useInspectionText()
  const why = useId()
  const { entry, identified, busy, saved, error, concurrent, restored } = inspection
  const [asked, setAsked] = useState<AfterSaveAction | null>(null)
  const ready = identified && !saved
  const submit = (afterSave: AfterSaveAction) => (entry.status === '' ? setAsked(afterSave) : inspection.submit(afterSave))
  const last = (vehicle.next ?? null) === null
  const readyHint = [last && t('vehicle.noNext'), entry.status === '' && t('vehicle.asksWithoutStatus')].filter(Boolean).join(' ') || null
  const reason = error || saved ? null : !ready ? (entry.identifier.trim() === '' ? t('vehicle.identifyFirst') : t('scan.notThis', { text: entry.identifier.trim() })) : readyHint
  const hasChange = concurrent !== null && !busy && !saved
  return (
    <div className={styles.bar} data-bottom-bar data-identified={identified}>
      <div className={styles.inner}>
      <StorageWarning />
      <SaveErrorAlert error={error} />
      {hasChange && <ConcurrentChangeNotice vehicle={vehicle} change={concurrent} restored={restored} />}
      <h2 className={identified && reason === null && !hasChange ? styles.step : 'sr-only'}>{`5 · ${t('vehicle.step5')}`}</h2>
      {reason !== null && <p id={why} className={styles.why}>{reason}</p>}
      <div className={styles.actions}>
        {!identified && !isDesktop && (
          <div className={styles.ways}>
            <Button kind="primary" big icon="scan" onClick={identification.startScan}>
              {t(entry.identifier === '' ? 'scan.scan' : 'scan.again')}
            </Button>
            {!identification.manual && (
              <Button big icon="keyboard" onClick={onManual}>
                {t('vehicle.manual')}
              </Button>
            )}
          </div>
        )}
        <div className={styles.options}>
          <Button data-save-next kind={identified ? 'primary' : 'secondary'} big disabled={!ready || last} busy={busy} aria-describedby={reason === null ? undefined : why} onClick={() => submit('next')}>
            {t('vehicle.saveNext')}
          </Button>
          <Button disabled={!ready || busy} aria-describedby={reason === null ? undefined : why} onClick={() => submit('exit')}>
            {t('vehicle.saveExit')}
          </Button>
          <Button kind="quiet" disabled={busy} onClick={inspection.cancel}>
            {t('vehicle.cancel')}
          </Button>
        </div>
      </div>
      </div>
      {asked !== null && (
        <ConfirmSaveWithoutStatusDialog onNo={() => setAsked(null)} onYes={() => {
          setAsked(null)
          inspection.submit(asked)
        }} />
      )}
    </div>
  )
}
