import { queryKeys } from '@/api/queryKeys'
import type { Campaign, Vehicle, Yard } from '@/api/types'
import { Link, parseId, useQueryParams } from '@/lib/route'
import type { TextKey } from '@/lib/text'
import { isYardWithoutName } from '@/lib/yards'
import { useDesktopText, type DesktopTextKey } from './text'
import { useCachedQueryData } from './useCachedQueryData'
import styles from './Breadcrumb.module.css'

interface Crumb {
  text: string
  to: string
}

const TITLES: Record<string, TextKey | DesktopTextKey> = {
  yard: 'yards.title',
  'campaign-list': 'menu.manage',
  'user-management': 'menu.users',
  'logs-audit': 'menu.audit',
  outbox: 'menu.outbox',
  conflicts: 'menu.conflicts',
  account: 'menu.account',
  'privacy-policy': 'menu.privacy',
  'terms-service': 'menu.terms',
  import: 'menu.import',
}

/**
 * Breadcrumb navigation from the home page to the current page. On the pages of a campaign or a vehicle, the entries after the home page
 * are hidden while the campaign's name loads, for two seconds at most. A name that arrives later can move them.
 */
export function Breadcrumb({ path }: { path: string }) {
  const t = useDesktopText()
  const { trail, isLoading } = useTrail(path)
  const last = trail.at(-1)
  if (last === undefined) return null
  return (
    <nav className={styles.trail} aria-label={t('trail.label')} data-loading={isLoading || undefined}>
      <ol>
        {[{ text: t('menu.home'), to: '/campaign-home' }, ...trail.slice(0, -1)].map(({ text, to }) => (
          <li key={to}>
            <Link href={to} className="ellipsis" title={text}>
              {text}
            </Link>
          </li>
        ))}
        <li className="ellipsis" aria-current="page" title={last.text}>
          {last.text}
        </li>
      </ol>
    </nav>
  )
}

/**
 * Returns the breadcrumb entries after the home page, with the current page last, and whether the name of the campaign is still unknown.
 * Names come from the query cache, not from requests.
 */
function useTrail(path: string): { trail: Crumb[]; isLoading: boolean } {
  const t = useDesktopText()
  const query = useQueryParams()
  const [, section = '', part = '', view] = path.split('/')
  const id = parseId(part) ?? 0
  const yardId = parseId(query.get('yard'))
  const vehicle = useCachedQueryData<Vehicle>(queryKeys.vehicle(id, yardId))
  const campaignId = section === 'vehicle' ? vehicle?.campaign_id : id
  const campaignInYard = useCachedQueryData<Campaign>(queryKeys.campaign(id, yardId))
  const wholeCampaign = useCachedQueryData<Campaign>(queryKeys.campaign(id, null))
  const yards = useCachedQueryData<Yard[]>(queryKeys.allYards)
  const name = section === 'vehicle' ? vehicle?.campaign_name : (wholeCampaign ?? campaignInYard)?.name
  const campaign = { text: name ?? t('campaign.title'), to: `/campaign/${campaignId}` }
  const yardName = campaignInYard?.yard_name
  const yardOfCampaign = yardId === null || !yardName || isYardWithoutName(yardName) ? [] : [{ text: t('yard.named', { name: yardName }), to: path }]
  const list = { text: t('vehicles.title'), to: `/campaign/${campaignId}/vehicles` }
  const isLoading = (section === 'vehicle' || section === 'campaign') && name === undefined
  if (section === 'vehicle') return { isLoading, trail: [...(campaignId === undefined ? [] : [campaign, list]), { text: vehicle?.parking_space || vehicle?.vin_number || t('vehicle.title'), to: path }] }
  if (section === 'campaign') return { isLoading, trail: view === 'vehicles' ? [campaign, list] : view === 'walk' ? [campaign, { text: t('campaign.walk'), to: path }] : [campaign, ...yardOfCampaign] }
  if (section === 'yard' && part !== '') {
    const yard = yards?.find((one) => one.id === id)?.name
    return { isLoading, trail: [{ text: t('yards.title'), to: '/yard' }, { text: yard === undefined ? t('campaign.yard') : t('yard.named', { name: yard }), to: path }] }
  }
  const title = TITLES[section]
  return { isLoading, trail: title === undefined ? [] : [{ text: t(title), to: path }] }
}
