import { useCampaignsText } from './text'

/** Line that states how many inspections are included in the shown progress but not sent to the server yet. Renders nothing if `n` is 0. */
export function PendingSavesLine({ n }: { n: number }) {
  const t = useCampaignsText()
  return n === 0 ? null : <p className="quiet">{t('take.unsent', { n })}</p>
}
