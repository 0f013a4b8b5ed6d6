import type { ReactNode } from 'react'
import { useMediaQuery } from '@/lib/useMediaQuery'
import { Link } from '@/lib/route'
import { useText } from '@/lib/text'
import { formatDate, formatTime } from '@/lib/format'
import { Icon } from './Icon'
import { ProgressBar } from './ProgressBar'
import { CampaignStatusBadge } from './Status'
import table from './Table.module.css'
import styles from './CampaignTable.module.css'

/** Fields of a campaign that the list needs. */
interface Listed {
  id: number
  name: string
  status: string
  created_by_name: string
  created_at: string
  total_vehicles: number
  total_inspected: number
  allClosed: boolean
  /** Whether the progress is unavailable now; the totals are then 0. */
  progress_unknown: boolean
}

interface CampaignTableProps<C extends Listed> {
  campaigns: C[]
  /** Returns the target URL of the links on a campaign's name, creator and date. */
  hrefOf: (campaign: C) => string
  /** Optional column with the actions for a campaign. */
  actions?: { title: string; render: (campaign: C) => ReactNode }
}

/** List of campaigns, as a table on wide screens and as cards on phones. */
export function CampaignTable<C extends Listed>(props: CampaignTableProps<C>) {
  return useMediaQuery('(min-width: 900px)') ? <Wide {...props} /> : <Cards {...props} />
}

function Wide<C extends Listed>({ campaigns, hrefOf, actions }: CampaignTableProps<C>) {
  const t = useText()
  return (
    <div className={`${table.frame} ${styles.frame}`}>
      <table className={table.table}>
        <thead>
          <tr>
            <th scope="col">{t('campaigns.view')}</th>
            <th scope="col">{t('campaigns.campaign')}</th>
            <th scope="col">{t('campaigns.created')}</th>
            <th scope="col">{t('campaigns.date')}</th>
            <th scope="col" className={styles.inspected}>{t('campaigns.inspected')}</th>
            {actions && <th scope="col">{actions.title}</th>}
          </tr>
        </thead>
        <tbody>
          {campaigns.map((campaign) => (
            <tr key={campaign.id}>
              <td>
                <View campaign={campaign} />
              </td>
              <td className={styles.name}>
                <Name campaign={campaign} href={hrefOf(campaign)} />
                <span className={styles.badge}>
                  <CampaignStatusBadge status={campaign.status} />
                </span>
              </td>
              <td className={`${styles.creator} ellipsis`} title={campaign.created_by_name}>
                {campaign.created_by_name}
              </td>
              <td className={styles.date}>
                <time dateTime={campaign.created_at} title={formatTime(campaign.created_at)}>
                  {formatDate(campaign.created_at)}
                </time>
              </td>
              <td className={styles.inspected}>
                <Done campaign={campaign} />
              </td>
              {actions && <td className={table.above}>{actions.render(campaign)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** Campaigns as cards for phones: unfinished campaigns first, otherwise in the given order. */
function Cards<C extends Listed>({ campaigns, hrefOf, actions }: CampaignTableProps<C>) {
  const t = useText()
  const ordered = campaigns.toSorted((a, b) => Number(a.allClosed) - Number(b.allClosed))
  return (
    <ul className={styles.cards}>
      {ordered.map((campaign) => (
        <li key={campaign.id} className={styles.card}>
          <div className={styles.head}>
            <Name campaign={campaign} href={hrefOf(campaign)} />
            <View campaign={campaign} />
          </div>
          <Done campaign={campaign} />
          <p className={styles.foot}>
            <CampaignStatusBadge status={campaign.status} />
            <span className="ellipsis" title={campaign.created_by_name}>
              {t('campaigns.createdBy', { hmc: campaign.created_by_name })}
            </span>
            <span className={styles.date}>{formatDate(campaign.created_at)}</span>
          </p>
          {actions && <div className={`${table.above} ${styles.actions}`}>{actions.render(campaign)}</div>}
        </li>
      ))}
    </ul>
  )
}

function Name({ campaign: { name, allClosed, progress_unknown }, href }: { campaign: Listed; href: string }) {
  return (
    <Link href={href} className={`${table.rowLink} ${styles.title}`}>
      <CompletionMark done={allClosed && !progress_unknown} />
      <span className="ellipsis" title={name}>
        {name}
      </span>
    </Link>
  )
}

function View({ campaign: { id, name } }: { campaign: Listed }) {
  const t = useText()
  const label = t('campaigns.viewOf', { name })
  return (
    <Link href={`/campaign/${id}/vehicles`} className={`${table.above} ${styles.view}`} aria-label={label} title={label}>
      <Icon name="list" />
    </Link>
  )
}

function Done({ campaign: { name, total_inspected, total_vehicles, progress_unknown } }: { campaign: Listed }) {
  const t = useText()
  return <ProgressBar label={t('campaigns.progressOf', { name })} done={total_inspected} total={total_vehicles} unknown={progress_unknown} />
}

function CompletionMark({ done }: { done: boolean }) {
  const t = useText()
  const label = t(done ? 'campaigns.completed' : 'campaigns.inProgress')
  return (
    <span role="img" aria-label={label} title={label} className={done ? styles.done : styles.going}>
      <Icon name={done ? 'check' : 'ring'} size={20} />
    </span>
  )
}
