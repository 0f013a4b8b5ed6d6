import type { ListedVehicle } from '@/api/types'
import type { VehicleMatchResult } from '@/lib/match'
import { Button } from '@/ui/Button'
import { MonospaceVin } from '@/ui/MonospaceVin'
import { Alert } from '@/ui/Page'
import { useFindVehicleInOtherCampaigns } from './api'
import { InvalidCheckDigitHint } from './InvalidCheckDigitHint'
import { useInspectionText } from './text'
import { VehicleChoiceList, listMatchedVehicles } from './VehicleSearchField'

interface UnknownScanProps {
  text: string
  campaign: number
  found: VehicleMatchResult<ListedVehicle> | null
  onOpen: (id: number) => void
  onClose: () => void
}

/** Message for a scan that does not match exactly one vehicle: lists the matches, or names another campaign that has the vehicle. */
export function UnresolvedScanMessage({ text, campaign, found, onOpen, onClose }: UnknownScanProps) {
  const t = useInspectionText()
  const unknown = found?.kind === 'none'
  const others = useFindVehicleInOtherCampaigns(text, campaign, unknown)
  return (
    <Alert kind="warning">
      <p>{unknown ? t('scan.unknown', { text }) : t(found?.kind === 'lookAlike' || found?.kind === 'part' ? `scan.${found.kind}` : 'scan.several')}</p>
      {unknown && <InvalidCheckDigitHint text={text} />}
      <VehicleChoiceList vehicles={listMatchedVehicles(found)} onOpen={onOpen} />
      {others.isLoading && <p className="quiet">{t('scan.askingOthers')}</p>}
      {others.data && (
        <p>
          {t('scan.otherCampaign', { name: others.data.campaign })} <MonospaceVin vin={others.data.vehicle.vin_number} /> {t('scan.at', { space: others.data.vehicle.parking_space })}
        </p>
      )}
      {others.data === null && <p className="quiet">{t('scan.nowhere')}</p>}
      <Button onClick={onClose}>{t('scan.close')}</Button>
    </Alert>
  )
}
