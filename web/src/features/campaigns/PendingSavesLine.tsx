import { useCampaignsText } from './text'

/** Line that states how many of the inspections in a shown count are still pending on this device. */
export function PendingSavesLine({ n }: { n: number }) {
  const t = useCampaignsText()
  return n === 0 ? null : <p className="quiet">{t('take.unsent', { n })}</p>
}
