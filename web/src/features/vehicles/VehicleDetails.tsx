import type { ReactNode } from 'react'
import type { Vehicle } from '@/api/types'
import { useText } from '@/lib/text'
import { InlineEdit } from '@/ui/InlineEdit'
import { VehicleStatusBadge } from '@/ui/Status'
import { useCampaign } from './api'
import type { Inspection } from './useInspection'
import styles from './VehicleDetails.module.css'

const isIdentifier = (text: string) => /^\S+ \S+$/.test(text)
const isFilled = (text: string) => text.trim() !== ''

/** Details of the vehicle beyond VIN and parking space, which are shown above. Supervisors can edit VIN and parking space here. */
export function VehicleDetails({ vehicle, inspection }: { vehicle: Vehicle; inspection: Inspection }) {
  const t = useText()
  const { entry, change, supervisor } = inspection
  return (
    <dl className={`${styles.facts} ${supervisor ? styles.editable : ''}`}>
      {supervisor && (
        <>
          <Fact name={t('vehicles.vin')}>
            <InlineEdit label={t('vehicles.vin')} value={entry.vin_number} mono valid={isIdentifier} message={t('vehicle.vinFormat')} onSave={(vin_number) => change({ vin_number })} />
          </Fact>
          <Fact name={t('vehicles.space')}>
            <InlineEdit label={t('vehicles.space')} value={entry.parking_space} valid={isFilled} message={t('vehicle.spaceFormat')} onSave={(parking_space) => change({ parking_space })} />
          </Fact>
        </>
      )}
      <Fact name={t('vehicle.storedStatus')}>
        <VehicleStatusBadge status={vehicle.status} inspected={vehicle.inspected} />
      </Fact>
      <Fact name={t('campaigns.campaign')}>
        <span className={styles.campaign} title={vehicle.campaign_name}>{vehicle.campaign_name}</span>
      </Fact>
    </dl>
  )
}

/** A label with its value on the line below. */
function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

/** Part and description of the campaign's problem, which the person checks on each vehicle. */
export function CampaignProblem({ campaign: id }: { campaign: number }) {
  const t = useText()
  const campaign = useCampaign(id).data
  return (
    <p className={styles.problem}>
      <span className="sr-only">{t('vehicle.problem')}: </span>
      <strong>{campaign?.part ?? '…'}</strong>
      <span>{campaign?.description}</span>
    </p>
  )
}
