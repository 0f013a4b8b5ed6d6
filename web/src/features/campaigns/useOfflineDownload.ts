import type { Campaign } from '@/api/types'
import { useStorageProblem } from '@/offline/outbox'
import { useSnapshots } from '@/offline/snapshots'
import { showToast } from '@/ui/Toast'
import { useDownloadCampaignForOffline } from './api'
import { useCampaignsText } from './text'

/** Returns the offline download of a campaign or yard: its state, the data stored on this device, the button label, and `start`. */
export function useOfflineDownload(campaign: Campaign, yard: number | null) {
  const t = useCampaignsText()
  const problem = useStorageProblem()
  const snapshot = useSnapshots().find((one) => one.campaign === campaign.id)
  const download = useDownloadCampaignForOffline()
  const isHere = snapshot !== undefined && (snapshot.yards === null || (yard !== null && snapshot.yards.includes(yard)))
  return {
    problem, snapshot, download,
    label: isHere ? t('take.again') : yard === null ? t('take.campaign') : t('take.yard', { name: campaign.yard_name ?? yard }),
    start: () => download.mutate({ campaign, yard }, { onSuccess: () => showToast('success', t('take.done')) }),
  }
}
