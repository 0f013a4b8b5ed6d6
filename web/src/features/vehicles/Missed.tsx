import type { ListedVehicle } from '@/api/types'
import type { Match } from '@/lib/match'
import { Button } from '@/ui/Button'
import { Note } from '@/ui/Page'
import { useOtherCampaigns } from './api'
import { useScanText } from './text'
import { Picks, vehiclesOf } from './WalkFind'

interface MissedProps {
  text: string
  campaign: number
  found: Match<ListedVehicle> | null
  onOpen: (id: number) => void
  onClose: () => void
}

/** A scan that names no single car: those to choose from, or that it belongs elsewhere. */
export function Missed({ text, campaign, found, onOpen, onClose }: MissedProps) {
  const t = useScanText()
  const unknown = found?.kind === 'none'
  const others = useOtherCampaigns(text, campaign, unknown)
  return (
    <Note kind="warning">
      <p>{unknown ? t('scan.unknown', { text }) : t(found?.kind === 'perhaps' ? 'scan.perhaps' : 'scan.several')}</p>
      <Picks vehicles={vehiclesOf(found)} onOpen={onOpen} />
      {others.isLoading && <p className="quiet">{t('scan.askingOthers')}</p>}
      {others.data && (
        <p>
          {t('scan.otherCampaign', { name: others.data.campaign })} <span className="mono">{others.data.vehicle.vin_number}</span> {t('scan.at', { space: others.data.vehicle.parking_space })}
        </p>
      )}
      {others.data === null && <p className="quiet">{t('scan.nowhere')}</p>}
      <Button onClick={onClose}>{t('scan.close')}</Button>
    </Note>
  )
}
