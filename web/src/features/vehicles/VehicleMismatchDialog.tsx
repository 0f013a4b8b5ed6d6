import { Dialog } from '@/ui/Dialog'
import { VehicleMismatchQuestion, useFeatureText } from '@/ui/VehicleMismatchQuestion'
import type { InspectionForm } from './useInspectionForm'
import type { VehicleMismatch } from './useSubmitInspection'

/**
 * Dialog shown when the server has another vehicle under the id of the inspected vehicle. Asks whether the save belongs to that other
 * vehicle. Later, like closing the dialog, keeps the save in the outbox and returns to the form.
 */
export function VehicleMismatchDialog({ mismatch, inspection }: { mismatch: VehicleMismatch; inspection: InspectionForm }) {
  const t = useFeatureText()
  const { saveToOther, discardMismatch, leaveMismatch } = inspection
  return (
    <Dialog label={t('vehicleMismatch.title')} onClose={leaveMismatch}>
      <VehicleMismatchQuestion inspectedVin={mismatch.request.vin} serverVin={mismatch.serverVin} onYes={() => saveToOther(mismatch)} onLater={leaveMismatch} onDiscard={() => discardMismatch(mismatch)}>
        {mismatch.seq !== null && <p className="quiet">{t('vehicleMismatch.stays')}</p>}
      </VehicleMismatchQuestion>
    </Dialog>
  )
}
