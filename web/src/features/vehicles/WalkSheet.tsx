import { wordsFor } from '@/api/problem'
import { useSession, type User } from '@/api/session'
import type { ListedVehicle, Vehicle } from '@/api/types'
import { Button, IconButton } from '@/ui/Button'
import { Dialog } from '@/ui/Dialog'
import { Failure, Note, Skeleton } from '@/ui/Page'
import { VehicleStatusBadge } from '@/ui/Status'
import { useCampaignHead, useVehicle } from './api'
import { ConflictDialog } from './ConflictDialog'
import { NoDisk } from './NoDisk'
import { Notes } from './Notes'
import { PartlyKnown } from './PartlyKnown'
import { StatusGrid } from './StatusGrid'
import { useScanText } from './text'
import { useInspection, type OnSaved } from './useInspection'
import styles from './WalkPage.module.css'

interface SheetProps {
  listed: ListedVehicle
  yard: number | null
  scanned: boolean
  onLeave: (saved: Vehicle | null, kept: boolean) => void
}

/** The car that was scanned, over the camera: one tap for its status, one to save it. */
export function WalkSheet({ listed, yard, scanned, onLeave }: SheetProps) {
  const t = useScanText()
  const session = useSession()
  const vehicle = useVehicle(listed.id, yard)
  return (
    <Dialog kind="sheet" label={t('walk.sheet', { vin: listed.vin_number })} onClose={() => onLeave(null, false)}>
      <div className={styles.sheet}>
        <div className={styles.head}>
          <div>
            <p className={`mono ${styles.vin}`}>{listed.vin_number}</p>
            <p>
              <strong className={styles.space}>{listed.parking_space}</strong>
              {listed.inspected && <span className={styles.done}>{t('walk.done')} <VehicleStatusBadge status={listed.status} /></span>}
            </p>
          </div>
          <IconButton icon="close" label={t('walk.skip')} onClick={() => onLeave(null, false)} />
        </div>
        {vehicle.isPending && <Skeleton rows={2} height={72} label={t('vehicle.loading')} />}
        {vehicle.isError && !vehicle.data && <Failure text={wordsFor(vehicle.error, t)} onRetry={() => void vehicle.refetch()} />}
        {vehicle.data && session && <Inspect vehicle={vehicle.data} yard={yard} user={session.user} scanned={scanned} onSaved={onLeave} />}
      </div>
    </Dialog>
  )
}

interface InspectProps {
  vehicle: Vehicle
  yard: number | null
  user: User
  scanned: boolean
  onSaved: OnSaved
}

function Inspect({ vehicle, yard, user, scanned, onSaved }: InspectProps) {
  const t = useScanText()
  const inspection = useInspection(vehicle, yard, user, onSaved)
  const { entry, busy, error, conflict, change, submit } = inspection
  const campaign = useCampaignHead(vehicle.campaign_id).data
  const choose = (status: string) => change({ status, identifier: vehicle.vin_number, scanned })
  return (
    <form className={styles.inspect} aria-label={t('walk.sheet', { vin: vehicle.vin_number })} onSubmit={(event) => event.preventDefault()}>
      {campaign && <p className="quiet">{campaign.part} · {campaign.description}</p>}
      <PartlyKnown vehicle={vehicle} />
      <StatusGrid role={user.user_type} stored={vehicle.status} value={entry.status} onChange={choose} />
      <details className={styles.notes} open={entry.operator_notes !== '' || undefined}>
        <summary>{t('walk.notes')}</summary>
        <Notes inspection={inspection} />
      </details>
      <div className={styles.save}>
        <NoDisk />
        {error && <Note kind="error">{t('vehicle.notSaved', { why: wordsFor(error, t) })}</Note>}
        <Button kind="primary" big wide busy={busy} disabled={entry.status === ''} onClick={() => submit('stay')}>
          {entry.status === '' ? t('walk.choose') : t('walk.saveAs', { status: entry.status })}
        </Button>
      </div>
      {conflict && <ConflictDialog conflict={conflict} inspection={inspection} />}
    </form>
  )
}
