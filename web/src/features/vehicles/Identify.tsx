import { useEffect, useRef, useState } from 'react'
import type { Vehicle } from '@/api/types'
import { identifies, keyOf } from '@/lib/identifier'
import { indexOf, match } from '@/lib/match'
import { openSound, signal } from '@/lib/signal'
import { Button } from '@/ui/Button'
import { TextField } from '@/ui/Field'
import { ScanDialog } from '@/ui/Scanner'
import { wantScanner } from '@/lib/scanner'
import { useScanText } from './text'
import { useFinding } from './useFinding'
import type { Inspection } from './useInspection'
import { useWedge } from './useWedge'
import { signalOf } from './verdict'
import { Verdict } from './Verdict'
import styles from './VehiclePage.module.css'

const MODE = 'entryMode'

interface IdentifyProps {
  vehicle: Vehicle
  yard: number | null
  inspection: Inspection
}

/** The identifier of the car one stands before: scanned, or typed once Manual was chosen. */
export function Identify({ vehicle, yard, inspection }: IdentifyProps) {
  const t = useScanText()
  const { entry, identified, change, saved } = inspection
  const [manual, setManual] = useState(() => sessionStorage.getItem(MODE) === 'manual' || (entry.identifier !== '' && !entry.scanned))
  const [scanning, setScanning] = useState(false)
  const field = useRef<HTMLDivElement>(null)
  const finding = useFinding(vehicle.campaign_id)
  const read = useRead(vehicle, inspection, finding.find)
  useWedge((text) => {
    setScanning(false)
    read(text)
  })
  useEffect(wantScanner, [])
  const unlock = () => {
    sessionStorage.setItem(MODE, 'manual')
    setScanning(false)
    setManual(true)
    field.current?.querySelector('input')?.focus()
  }
  const scan = () => {
    openSound()
    setScanning(true)
  }
  return (
    <div className={styles.identify} ref={field}>
      <TextField label={t('vehicle.identifier')} className={`mono ${styles.identifier}`} value={entry.identifier} readOnly={!manual || saved}
        placeholder={t(manual ? 'vehicle.typeHere' : 'vehicle.chooseManual')} autoComplete="off" autoCapitalize="characters" autoCorrect="off" spellCheck={false} enterKeyHint="done"
        onChange={(event) => change({ identifier: event.target.value, scanned: false })} />
      <div className={styles.ways}>
        <Button kind={identified ? 'secondary' : 'primary'} big wide icon="scan" disabled={saved} onClick={scan}>
          {t(entry.identifier === '' ? 'scan.scan' : 'scan.again')}
        </Button>
        {!manual && (
          <Button big wide icon="keyboard" onClick={unlock}>
            {t('vehicle.manual')}
          </Button>
        )}
      </div>
      <Verdict vehicle={vehicle} yard={yard} entered={entry.identifier} scanned={entry.scanned === true} identified={identified} finding={finding} />
      {scanning && <ScanDialog label={t('scan.title')} onRead={(text) => { setScanning(false); read(text) }} onManual={unlock} onClose={() => setScanning(false)}
        fits={(text) => standsFor(text, vehicle) || finding.find(text)?.kind === 'one'} />}
    </div>
  )
}

const standsFor = (text: string, vehicle: Vehicle): boolean => match(text, indexOf([vehicle])).kind === 'one'

/** What a read does: the field is filled, and one hears whether this is the car. */
function useRead(vehicle: Vehicle, { change, saved, goNow }: Inspection, find: ReturnType<typeof useFinding>['find']) {
  return (text: string) => {
    if (saved) return goNow()
    const right = standsFor(text, vehicle)
    const found = right ? null : find(text)
    if (right) signal(vehicle.inspected ? 'done' : 'right')
    else signal(found === null ? 'elsewhere' : signalOf(found, vehicle.id))
    // A label may say more than the identifier; what names this car is entered as its identifier.
    const entered = right && !identifies(text, vehicle.vin_number) ? vehicle.vin_number : text.trim()
    if (keyOf(entered) !== '') change({ identifier: entered, scanned: true })
  }
}
