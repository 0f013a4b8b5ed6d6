import type { ReactNode } from 'react'
import type { Vehicle } from '@/api/types'
import { useText } from '@/lib/text'
import { InlineEdit } from '@/ui/InlineEdit'
import { VehicleStatusBadge } from '@/ui/Status'
import { useCampaignHead } from './api'
import type { Inspection } from './useInspection'
import styles from './VehiclePage.module.css'

/** So many characters of an identifier fit beside its name on the phone. */
const FITTING = 16
const isIdentifier = (text: string) => /^\S+ \S+$/.test(text)
const isFilled = (text: string) => text.trim() !== ''

/** The car's facts; a supervisor may correct VIN and parking space in place. */
export function Details({ vehicle, inspection }: { vehicle: Vehicle; inspection: Inspection }) {
  const t = useText()
  const { entry, change, supervisor } = inspection
  const campaign = useCampaignHead(vehicle.campaign_id).data
  return (
    <dl className={styles.facts}>
      <Fact name={t('vehicles.vin')} long={entry.vin_number.length > FITTING}>
        {supervisor ? (
          <InlineEdit label={t('vehicles.vin')} value={entry.vin_number} mono valid={isIdentifier} message={t('vehicle.vinFormat')} onSave={(vin_number) => change({ vin_number })} />
        ) : (
          <strong className="mono">{vehicle.vin_number}</strong>
        )}
      </Fact>
      <Fact name={t('vehicles.space')}>
        {supervisor ? (
          <InlineEdit label={t('vehicles.space')} value={entry.parking_space} valid={isFilled} message={t('vehicle.spaceFormat')} onSave={(parking_space) => change({ parking_space })} />
        ) : (
          <strong className={styles.space}>{vehicle.parking_space}</strong>
        )}
      </Fact>
      <Fact name={t('vehicle.storedStatus')}>
        <VehicleStatusBadge status={vehicle.status} inspected={vehicle.inspected} />
      </Fact>
      <Fact name={t('campaigns.campaign')}>{vehicle.campaign_name}</Fact>
      <Fact name={t('vehicle.problem')}>{campaign ? `${campaign.part} · ${campaign.description}` : '…'}</Fact>
    </dl>
  )
}

/** A name with its value beside it, or below it when the value may not be broken and is long. */
function Fact({ name, long = false, children }: { name: string; long?: boolean; children: ReactNode }) {
  return (
    <div className={long ? styles.long : undefined}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}
