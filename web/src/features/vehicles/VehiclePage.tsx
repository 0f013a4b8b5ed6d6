import { useMemo } from 'react'
import { useParams } from 'wouter'
import { useVehicleAhead } from '@/api/ahead'
import { wordsFor } from '@/api/problem'
import { ownerOf, useSession, type User } from '@/api/session'
import type { PartlyKnown as Known } from '@/api/taken'
import type { Vehicle } from '@/api/types'
import { readDraft } from '@/lib/drafts'
import { idFrom, useQueryParams } from '@/lib/route'
import { useText } from '@/lib/text'
import { dateOf, timeOf } from '@/lib/time'
import { Button, LinkButton } from '@/ui/Button'
import { Failure, Note, Page, Skeleton } from '@/ui/Page'
import { useVehicle } from './api'
import { ConflictDialog } from './ConflictDialog'
import { Details } from './Details'
import { Identify } from './Identify'
import { Notes } from './Notes'
import { OpenConflict } from './OpenConflict'
import { PartlyKnown } from './PartlyKnown'
import { SaveBar } from './SaveBar'
import { StatusGrid } from './StatusGrid'
import { Step } from './Step'
import { useScanText } from './text'
import { useInspection } from './useInspection'
import styles from './VehiclePage.module.css'

/** The inspection of one vehicle. */
export default function VehiclePage() {
  const t = useText()
  const id = idFrom(useParams<{ id: string }>().id) ?? 0
  const yard = idFrom(useQueryParams().get('yard'))
  const session = useSession()
  const replaces = useMemo(() => (session === null ? undefined : readDraft(ownerOf(session.user), id)?.replaces), [session, id])
  const vehicle = useVehicle(id, yard, replaces)
  return (
    <Page title={t('vehicle.title')} subtitle={vehicle.data && <Place vehicle={vehicle.data} />}>
      {vehicle.isPending && (
        <>
          <p role="status">{t('vehicle.loading')}</p>
          <Skeleton rows={3} height={150} label={t('vehicle.loading')} />
        </>
      )}
      {vehicle.isError && !vehicle.data && <Failure text={wordsFor(vehicle.error, t)} onRetry={() => void vehicle.refetch()} />}
      {vehicle.data && session && <Inspect key={id} vehicle={vehicle.data} yard={yard} user={session.user} />}
    </Page>
  )
}

/** Where to walk and which car to look for. */
function Place({ vehicle }: { vehicle: Vehicle }) {
  return (
    <p className={styles.place}>
      <strong>{vehicle.parking_space}</strong>
      <span className="mono">{vehicle.vin_number}</span>
    </p>
  )
}

function Inspect({ vehicle, yard, user }: { vehicle: Vehicle; yard: number | null; user: User }) {
  const t = useScanText()
  const inspection = useInspection(vehicle, yard, user)
  const { entry, identified, restored, conflict, saved, closed } = inspection
  useVehicleAhead(vehicle.next ?? null, yard)
  return (
    <form className={styles.form} aria-label={t('vehicle.title')} onSubmit={(event) => event.preventDefault()}>
      {restored && !saved && (
        <Note kind="info">
          <p>{t('vehicle.restored')}</p>
          <Button onClick={inspection.discard}>{t('vehicle.discard')}</Button>
        </Note>
      )}
      {closed && (
        <Note kind="warning">
          <p>{t('walk.closed')}</p>
          <LinkButton to={inspection.campaign}>{t('yards.openCampaign')}</LinkButton>
        </Note>
      )}
      <fieldset className={styles.all} disabled={closed}>
        <PartlyKnown vehicle={vehicle} />
        <OpenConflict vehicle={vehicle} />
        <div className={styles.columns}>
          <div className={styles.column}>
            <Step n={1} title={t('vehicle.step1')} done={identified}>
              <Identify vehicle={vehicle} yard={yard} inspection={inspection} />
            </Step>
            <Step n={2} title={t('vehicle.step2')} done={identified}>
              <Details vehicle={vehicle} inspection={inspection} />
            </Step>
          </div>
          <div className={styles.column}>
            <Step n={3} title={t('vehicle.step3')} done={entry.status !== ''}>
              <StatusGrid role={user.user_type} stored={vehicle.status} value={entry.status} onChange={(status) => inspection.change({ status })} />
            </Step>
            <Step n={4} title={t('vehicle.step4')} done={entry.operator_notes !== '' || entry.admin_notes !== ''}>
              <Notes inspection={inspection} />
            </Step>
          </div>
        </div>
        <Step n={5} title={t('vehicle.step5')} done={saved}>
          <LastChange vehicle={vehicle} />
        </Step>
        <SaveBar vehicle={vehicle} inspection={inspection} />
      </fieldset>
      {conflict && <ConflictDialog conflict={conflict} inspection={inspection} />}
    </form>
  )
}

function LastChange({ vehicle }: { vehicle: Vehicle }) {
  const t = useScanText()
  const { modified_by: id, modified_by_hmc: hmc, modified_at: at } = vehicle
  if ((vehicle as Known).partly) return <p className="quiet">{t('vehicle.changesUnknown')}</p>
  if (id === null || id === undefined || !at) return <p className="quiet">{t('vehicle.neverChanged')}</p>
  return <p className="quiet">{t('vehicle.lastChange', { id, hmc: hmc ?? t('vehicle.removedUser'), date: dateOf(at), time: timeOf(at) })}</p>
}
