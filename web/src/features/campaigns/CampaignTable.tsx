import type { Campaign } from '@/api/types'
import { useMediaQuery } from '@/lib/media'
import { Link, link } from '@/lib/route'
import { useText } from '@/lib/text'
import { dateOf, timeOf } from '@/lib/time'
import { Icon } from '@/ui/Icon'
import { Progress } from '@/ui/Progress'
import { CampaignStatusBadge } from '@/ui/Status'
import table from '@/ui/Table.module.css'
import styles from './CampaignTable.module.css'

/** The picker's campaigns: as a table where there is room, as rows to tap on the phone. */
export function CampaignTable({ campaigns }: { campaigns: Campaign[] }) {
  const wide = useMediaQuery('(min-width: 768px)')
  return wide ? <Wide campaigns={campaigns} /> : <Rows campaigns={campaigns} />
}

const listOf = ({ id }: Campaign) => `/campaign/${id}/vehicles`
const yardsOf = ({ id }: Campaign) => link('/yard', { campaign: id })

function Wide({ campaigns }: { campaigns: Campaign[] }) {
  const t = useText()
  return (
    <div className={table.frame}>
      <table className={table.table}>
        <thead>
          <tr>
            <th scope="col">{t('campaigns.view')}</th>
            <th scope="col">{t('campaigns.campaign')}</th>
            <th scope="col">{t('campaigns.created')}</th>
            <th scope="col">{t('campaigns.date')}</th>
          </tr>
        </thead>
        <tbody>
          {campaigns.map((campaign) => (
            <tr key={campaign.id}>
              <td>
                <ViewLink campaign={campaign} />
              </td>
              <td className={styles.name}>
                <div className={styles.named}>
                  <Link href={yardsOf(campaign)} className={`${table.rowLink} ${styles.title}`}>
                    <CompletionMark done={campaign.allClosed} />
                    <span className="ellipsis" title={campaign.name}>
                      {campaign.name}
                    </span>
                  </Link>
                  <Progress label={t('campaigns.progressOf', { name: campaign.name })} done={campaign.total_inspected} total={campaign.total_vehicles} />
                </div>
              </td>
              <td>{campaign.created_by_name}</td>
              <td>
                <time dateTime={campaign.created_at} title={timeOf(campaign.created_at)}>
                  {dateOf(campaign.created_at)}
                </time>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** On the phone what is unfinished comes first, otherwise in the order given. */
function Rows({ campaigns }: { campaigns: Campaign[] }) {
  const t = useText()
  const ordered = campaigns.toSorted((a, b) => Number(a.allClosed) - Number(b.allClosed))
  return (
    <ul className={styles.rows}>
      {ordered.map((campaign) => (
        <li key={campaign.id} className={styles.row}>
          <div className={styles.head}>
            <Link href={yardsOf(campaign)} className={`${table.rowLink} ${styles.title}`}>
              <CompletionMark done={campaign.allClosed} />
              <span className="ellipsis">{campaign.name}</span>
            </Link>
            <ViewLink campaign={campaign} />
          </div>
          <Progress label={t('campaigns.progressOf', { name: campaign.name })} done={campaign.total_inspected} total={campaign.total_vehicles} />
          <p className={styles.foot}>
            <CampaignStatusBadge status={campaign.status} />
            <span className="quiet ellipsis">
              {campaign.created_by_name} · {dateOf(campaign.created_at)}
            </span>
          </p>
        </li>
      ))}
    </ul>
  )
}

function ViewLink({ campaign }: { campaign: Campaign }) {
  const t = useText()
  return (
    <Link href={listOf(campaign)} className={`${table.above} ${styles.view}`} aria-label={t('campaigns.viewOf', { name: campaign.name })}>
      <Icon name="list" />
    </Link>
  )
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
