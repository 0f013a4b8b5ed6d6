import type { Campaign } from '@/api/types'
import { useMediaQuery } from '@/lib/media'
import { Link } from '@/lib/route'
import { dateOf, timeOf } from '@/lib/time'
import { IconButton, IconFile } from '@/ui/Button'
import { Icon } from '@/ui/Icon'
import { Progress } from '@/ui/Progress'
import { CampaignStatusBadge } from '@/ui/Status'
import table from '@/ui/Table.module.css'
import { useManageText } from './text'
import styles from './CampaignTable.module.css'

interface CampaignTableProps {
  campaigns: Campaign[]
  onDelete: (campaign: Campaign) => void
  files: CampaignFiles
}

/** What is done with the files of one campaign at a time. */
export interface CampaignFiles {
  /** The campaign whose yards are being exported. */
  exporting: number | null
  /** The campaign whose workbook is being converted. */
  converting: number | null
  onExport: (campaign: Campaign) => void
  onConvert: (campaign: Campaign, file: File) => void
}

const listOf = ({ id }: Campaign) => `/campaign/${id}/vehicles`

/** The campaigns to look after: a table where there is room, cards on the phone. */
export function CampaignTable(props: CampaignTableProps) {
  return useMediaQuery('(min-width: 768px)') ? <Wide {...props} /> : <Cards {...props} />
}

function Wide({ campaigns, ...actions }: CampaignTableProps) {
  const t = useManageText()
  return (
    <div className={table.frame}>
      <table className={table.table}>
        <thead>
          <tr>
            <th scope="col">{t('campaigns.view')}</th>
            <th scope="col">{t('campaigns.campaign')}</th>
            <th scope="col">{t('campaigns.created')}</th>
            <th scope="col">{t('campaigns.date')}</th>
            <th scope="col">{t('manage.actions')}</th>
          </tr>
        </thead>
        <tbody>
          {campaigns.map((campaign) => (
            <tr key={campaign.id}>
              <td>
                <View campaign={campaign} />
              </td>
              <td className={styles.name}>
                <div className={styles.named}>
                  <Link href={listOf(campaign)} className={`${table.rowLink} ellipsis`} title={campaign.name}>
                    {campaign.name}
                  </Link>
                  <CampaignStatusBadge status={campaign.status} />
                  <ProgressOf campaign={campaign} />
                </div>
              </td>
              <td>{campaign.created_by_name}</td>
              <td>
                <time dateTime={campaign.created_at} title={timeOf(campaign.created_at)}>
                  {dateOf(campaign.created_at)}
                </time>
              </td>
              <td>
                <Actions campaign={campaign} {...actions} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Cards({ campaigns, ...actions }: CampaignTableProps) {
  return (
    <ul className={styles.cards}>
      {campaigns.map((campaign) => (
        <li key={campaign.id} className={styles.card}>
          <div className={styles.head}>
            <Link href={listOf(campaign)} className={`${table.rowLink} ellipsis`}>
              {campaign.name}
            </Link>
            <Actions campaign={campaign} {...actions} />
          </div>
          <ProgressOf campaign={campaign} />
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

function View({ campaign }: { campaign: Campaign }) {
  const t = useManageText()
  return (
    <Link href={listOf(campaign)} className={`${table.above} ${styles.view}`} aria-label={t('manage.open', { name: campaign.name })}>
      <Icon name="list" />
    </Link>
  )
}

function ProgressOf({ campaign }: { campaign: Campaign }) {
  const t = useManageText()
  return <Progress label={t('campaigns.progressOf', { name: campaign.name })} done={campaign.total_inspected} total={campaign.total_vehicles} />
}

function Actions({ campaign, onDelete, files }: { campaign: Campaign } & Omit<CampaignTableProps, 'campaigns'>) {
  const t = useManageText()
  const { id, name } = campaign
  return (
    <span className={`${table.above} ${styles.actions}`}>
      <IconButton icon="download" label={t('files.exportYards', { name })} busy={files.exporting === id} disabled={files.exporting !== null} onClick={() => files.onExport(campaign)} />
      <IconFile icon="code" label={t('files.toSql', { name })} accept=".xlsx" busy={files.converting === id} disabled={files.converting !== null} onChoose={(file) => files.onConvert(campaign, file)} />
      <IconButton icon="trash" danger label={t('manage.delete', { name })} onClick={() => onDelete(campaign)} />
    </span>
  )
}
