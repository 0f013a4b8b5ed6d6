import { useCampaignsText } from './text'

/** Line that states how many of the counted inspections this device has not sent to the server yet. Renders nothing for 0. */
export function PendingSavesLine({ n }: { n: number }) {
  const t = useCampaignsText()
  return n === 0 ? null : <p className="quiet">{t('take.unsent', { n })}</p>
}
