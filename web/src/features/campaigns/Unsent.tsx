import { useCampaignsText } from './text'

/** Says how many of the inspected vehicles only this phone knows of. */
export function Unsent({ n }: { n: number }) {
  const t = useCampaignsText()
  return n === 0 ? null : <p className="quiet">{t(n === 1 ? 'take.unsentOne' : 'take.unsent', { n })}</p>
}
