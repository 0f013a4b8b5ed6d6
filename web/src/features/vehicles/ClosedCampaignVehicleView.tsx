import { useContext, type ReactNode } from 'react'
import type { SessionUser } from '@/api/session'
import type { Vehicle } from '@/api/types'
import { VEHICLE_FIELDS } from '@/lib/vehicleFields'
import { LinkButton } from '@/ui/Button'
import { Alert, Card, SidePaneContext } from '@/ui/Page'
import { LastChangeLine } from './LastChangeLine'
import { NoteFields } from './NoteFields'
import { NoteText } from './NoteText'
import { OpenConflictNotice } from './OpenConflictNotice'
import { PartialOfflineDataNotice } from './PartialOfflineDataNotice'
import { RestoredDraftNotice } from './RestoredDraftNotice'
import { SaveErrorAlert } from './SaveErrorAlert'
import { StatusButtonGrid } from './StatusButtonGrid'
import { useInspectionText } from './text'
import type { InspectionForm } from './useInspectionForm'
import { CampaignProblemDescription, VehicleDetails } from './VehicleDetails'
import { VehicleHeader } from './VehicleHeader'
import styles from './ClosedCampaignVehicleView.module.css'

interface ClosedVehicleProps {
  vehicle: Vehicle
  user: SessionUser
  inspection: InspectionForm
  children?: ReactNode
}

/** Vehicle of a closed campaign, which nobody can inspect: its details and notes without a form. Unsaved values stay visible. */
export function ClosedCampaignVehicleView({ vehicle, user, inspection, children }: ClosedVehicleProps) {
  const t = useInspectionText()
  const inPane = useContext(SidePaneContext)
  const { entry, restored, saved, error } = inspection
  const hasUnsaved = VEHICLE_FIELDS.some((field) => entry[field] !== (entry.base ?? vehicle)[field])
  return (
    <div className={styles.closed} data-pane={inPane || undefined}>
      {hasUnsaved && restored && !saved && <RestoredDraftNotice vehicle={vehicle} inspection={inspection} />}
      <SaveErrorAlert error={error} />
      <Alert kind="warning">
        <p>{t('walk.closed')}</p>
        <LinkButton to={inspection.campaign}>{t('yards.openCampaign')}</LinkButton>
      </Alert>
      <PartialOfflineDataNotice vehicle={vehicle} />
      <div className={styles.columns}>
        <div className={styles.column}>
          <VehicleHeader vehicle={vehicle} stored={vehicle} next={undefined} inspection={inspection} />
          <OpenConflictNotice vehicle={vehicle} />
          <Card label={t('vehicle.step2')}>
            <VehicleDetails vehicle={vehicle} inspection={inspection} />
          </Card>
          <CampaignProblemDescription campaign={vehicle.campaign_id} />
        </div>
        <div className={styles.column}>
          <NoteText label={t('vehicle.operatorNotes')} text={vehicle.operator_notes} />
          {!hasUnsaved && <NoteText label={t('vehicle.adminNotes')} text={vehicle.admin_notes} />}
          {hasUnsaved && (
            <fieldset className={styles.unsaved} disabled>
              <StatusButtonGrid role={user.user_type} stored={vehicle.status} value={entry.status} onChange={() => undefined} />
              <NoteFields inspection={inspection} />
            </fieldset>
          )}
          <LastChangeLine vehicle={vehicle} />
        </div>
        {children}
      </div>
    </div>
  )
}
