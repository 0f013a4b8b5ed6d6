import { useRef, useState } from 'react'
import type { ListedVehicle, Vehicle } from '@/api/types'
import { vehiclesNamed } from '@/lib/identifier'
import { Link, link } from '@/lib/route'
import { useText } from '@/lib/text'
import { Button } from '@/ui/Button'
import { TextField } from '@/ui/Field'
import { Note } from '@/ui/Page'
import { useWholeList } from './api'
import type { Inspection } from './useInspection'
import styles from './VehiclePage.module.css'

const MODE = 'entryMode'
const FEW = 3

interface IdentifyProps {
  vehicle: Vehicle
  yard: number | null
  inspection: Inspection
}

/** The identifier of the car one stands before; Manual unlocks typing and stays unlocked for this session. */
export function Identify({ vehicle, yard, inspection }: IdentifyProps) {
  const t = useText()
  const { entry, identified, change, saved } = inspection
  const [manual, setManual] = useState(() => sessionStorage.getItem(MODE) === 'manual' || entry.identifier !== '')
  const field = useRef<HTMLDivElement>(null)
  const unlock = () => {
    sessionStorage.setItem(MODE, 'manual')
    setManual(true)
    field.current?.querySelector('input')?.focus()
  }
  return (
    <div className={styles.identify} ref={field}>
      <TextField label={t('vehicle.identifier')} className={`mono ${styles.identifier}`} value={entry.identifier} readOnly={!manual || saved}
        placeholder={t(manual ? 'vehicle.typeHere' : 'vehicle.chooseManual')} autoComplete="off" autoCapitalize="characters" autoCorrect="off" spellCheck={false} enterKeyHint="done"
        onChange={(event) => change({ identifier: event.target.value })} />
      {!manual && (
        <Button big wide icon="keyboard" onClick={unlock}>
          {t('vehicle.manual')}
        </Button>
      )}
      {identified ? <Note kind="success">{t('vehicle.matches')}</Note> : <OtherVehicle vehicle={vehicle} yard={yard} entered={entry.identifier} />}
    </div>
  )
}

/** Says which other vehicle the entry stands for and where that one is. */
function OtherVehicle({ vehicle, yard, entered }: { vehicle: Vehicle; yard: number | null; entered: string }) {
  const t = useText()
  const long = entered.trim().length > FEW
  const list = useWholeList(vehicle.campaign_id, long)
  if (entered.trim() === '') return null
  if (!long) return <p className="quiet">{t('vehicle.noMatchYet')}</p>
  if (list.isPending) return <p className="quiet" role="status">{t('vehicle.searching')}</p>
  const others = vehiclesNamed(entered, list.data ?? [])
  if (others.length === 0) return <Note kind="warning">{t('vehicle.notInCampaign', { vin: vehicle.vin_number })}</Note>
  return (
    <Note kind="warning">
      <p>{t(others.length === 1 ? 'vehicle.isAnother' : 'vehicle.areOthers', { n: others.length })}</p>
      <ul className={styles.others}>
        {others.slice(0, FEW).map((other) => (
          <li key={other.id}>
            <OpenOther other={other} yard={yard} />
          </li>
        ))}
      </ul>
    </Note>
  )
}

function OpenOther({ other, yard }: { other: ListedVehicle; yard: number | null }) {
  const t = useText()
  return (
    <Link href={link(`/vehicle/${other.id}`, { yard })} className={styles.other}>
      <span className="mono">{other.vin_number}</span>
      <span>{t('vehicle.standsAt', { space: other.parking_space })}</span>
    </Link>
  )
}
