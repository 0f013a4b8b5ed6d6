import { useCampaignsText } from './text'

/** Line that states how many inspections of the shown progress are not sent to the server yet. Renders nothing for 0. */
export function PendingSavesLine({ n }: { n: number }) {
  const t = useCampaignsText()
  return n === 0 ? null : <p className="quiet">{t('take.unsent', { n })}</p>
}
