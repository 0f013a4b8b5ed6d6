import { useContext, type ReactNode } from 'react'
import type { Vehicle } from '@/api/types'
import { useText } from '@/lib/text'
import { SidePaneContext } from '@/ui/Page'
import { VehicleStatusBadge } from '@/ui/Status'
import { useCampaign } from './api'
import type { InspectionForm } from './useInspectionForm'
import { InlineParkingSpaceEdit, InlineVinEdit } from './VehicleHeader'
import styles from './VehicleDetails.module.css'

/**
 * Details of the vehicle. Supervisors can edit VIN and parking space here. In the pane beside a list, only the status is shown, because the
 * head of the pane shows VIN and parking space.
 */
export function VehicleDetails({ vehicle, inspection }: { vehicle: Vehicle; inspection: InspectionForm }) {
  const t = useText()
  const isEditable = inspection.supervisor && !inspection.closed
  const status = (
    <Fact name={t('vehicle.storedStatus')}>
      <VehicleStatusBadge status={vehicle.status} inspected={vehicle.inspected} />
    </Fact>
  )
  if (useContext(SidePaneContext)) return <dl className={styles.line}>{status}</dl>
  return (
    <dl className={`${styles.facts} ${isEditable ? styles.editable : ''}`}>
      {isEditable && (
        <>
          <Fact name={t('vehicles.vin')}>
            <InlineVinEdit inspection={inspection} />
          </Fact>
          <Fact name={t('vehicles.space')}>
            <InlineParkingSpaceEdit inspection={inspection} />
          </Fact>
        </>
      )}
      {status}
      <Fact name={t('campaigns.campaign')}>
        {vehicle.campaign_name}
      </Fact>
    </dl>
  )
}

/** A label with its value. */
function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

/** Problem that the campaign checks its vehicles for: the affected vehicle part and a description. */
export function CampaignProblemDescription({ campaign: id }: { campaign: number }) {
  const t = useText()
  const campaign = useCampaign(id).data
  return (
    <p className={styles.problem}>
      <span className="sr-only">{t('vehicle.problem')}: </span>
      <strong>{campaign?.part ?? '…'}</strong>
      <span>{campaign?.description ?? '…'}</span>
    </p>
  )
}
