import { formatDate } from '@/lib/format'
import { CampaignStatusBadge } from '@/ui/Status'
import type { CampaignWithPendingSaves } from './api'
import { useCampaignsText } from './text'
import { formatDueDate } from './useDueDateAction'
import styles from './CampaignFacts.module.css'

/** Status, problem, model type, due date and creator of a campaign. */
export function CampaignFacts({ campaign }: { campaign: CampaignWithPendingSaves }) {
  const t = useCampaignsText()
  return (
    <div className={styles.about}>
      <div>
        <CampaignStatusBadge status={campaign.status} />
      </div>
      <dl className={styles.facts}>
        <Fact name={t('campaign.part')} value={campaign.part} />
        {campaign.model_type && <Fact name={t('campaign.modelType')} value={campaign.model_type} />}
        <Fact name={t('campaign.description')} value={campaign.description} isLong />
        {campaign.due_at && <Fact name={t('due.title')} value={formatDueDate(campaign.due_at)} />}
        <Fact name={t('campaigns.created')} value={`${campaign.created_by_name}, ${formatDate(campaign.created_at)}`} />
      </dl>
    </div>
  )
}

/** Fact of the campaign with its label above. A long fact has a row of its own, on wide screens the last one. */
function Fact({ name, value, isLong = false }: { name: string; value: string; isLong?: boolean }) {
  return (
    <div className={isLong ? styles.long : undefined}>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  )
}
