import { useParams } from 'wouter'
import { useVehicleAhead } from '@/api/ahead'
import { wordsFor } from '@/api/problem'
import { useSession } from '@/api/session'
import type { Campaign } from '@/api/types'
import { mayManage } from '@/lib/roles'
import { idFrom, link, navigate, useQueryParams } from '@/lib/route'
import { useText } from '@/lib/text'
import { count, dateOf } from '@/lib/time'
import { Button, LinkButton } from '@/ui/Button'
import { Card, Empty, Failure, Note, Page, Skeleton } from '@/ui/Page'
import { Progress, Steps } from '@/ui/Progress'
import { CampaignStatusBadge } from '@/ui/Status'
import { useCampaign, useCampaignYards, usePace, useStartCampaign, type Counted } from './api'
import { ExportVehicles } from './ExportVehicles'
import { OpenConflicts } from './OpenConflicts'
import { PaceStrip } from './PaceStrip'
import { StatusSteps } from './StatusSteps'
import { TakeAlong } from './TakeAlong'
import { useCampaignsText } from './text'
import { Unsent } from './Unsent'
import { YardStrip, YardStripSkeleton } from './YardStrip'
import styles from './CampaignPage.module.css'

/** One campaign, step 3 of 3: start or go on, list its vehicles, export them. */
export default function CampaignPage() {
  const t = useText()
  const id = idFrom(useParams<{ id: string }>().id)
  const yard = idFrom(useQueryParams().get('yard'))
  const campaign = useCampaign(id ?? 0, yard)
  return (
    <Page title={t('campaign.title')} narrow>
      <Steps current={3} />
      {campaign.isPending && <Skeleton height={260} label={t('common.loading')} />}
      {campaign.isError && <Failure text={wordsFor(campaign.error, t)} onRetry={() => void campaign.refetch()} />}
      {campaign.data && <Loaded campaign={campaign.data} yard={yard} />}
    </Page>
  )
}

function Loaded({ campaign, yard }: { campaign: Counted; yard: number | null }) {
  const t = useText()
  const yards = useCampaignYards(campaign.name)
  const pace = usePace(campaign.id)
  const manages = mayManage(useSession()?.user.user_type ?? '')
  return (
    <>
      <Card label={campaign.name}>
        <div className={styles.head}>
          <h2 className={styles.name}>{campaign.name}</h2>
          <CampaignStatusBadge status={campaign.status} />
        </div>
        <div className={styles.numbers}>
          <Progress label={t('campaigns.progressOf', { name: campaign.name })} done={campaign.total_inspected} total={campaign.total_vehicles} />
          <Unsent n={campaign.unsent} />
        </div>
        <dl className={styles.facts}>
          {campaign.yard_name && <Fact name={t('campaign.yard')} value={campaign.yard_name} />}
          <Fact name={t('campaign.part')} value={campaign.part} />
          <Fact name={t('campaign.description')} value={campaign.description} />
          {campaign.model_type && <Fact name={t('campaign.modelType')} value={campaign.model_type} />}
          <Fact name={t('campaigns.created')} value={`${campaign.created_by_name}, ${dateOf(campaign.created_at)}`} />
        </dl>
        <Go campaign={campaign} yard={yard} />
      </Card>
      {yards.isPending && <YardStripSkeleton />}
      <YardStrip yards={yards.data ?? []} current={yard} hrefOf={({ id }) => link(`/campaign/${campaign.id}`, { yard: id === yard ? null : id })} />
      {campaign.status !== 'Closed' && campaign.total_vehicles > 0 && (
        <LinkButton big wide icon="scan" to={link(`/campaign/${campaign.id}/walk`, { yard })}>
          {t('campaign.walk')}
        </LinkButton>
      )}
      <LinkButton big wide icon="list" to={link(`/campaign/${campaign.id}/vehicles`, { yard: campaign.yard_name })}>
        {t('campaign.list')}
      </LinkButton>
      {manages && <OpenConflicts campaign={campaign.id} />}
      <PaceStrip paces={pace === undefined ? [] : [pace]} />
      <TakeAlong campaign={campaign} yard={yard} />
      <ExportVehicles campaign={campaign} />
      <StatusSteps campaign={campaign} />
    </>
  )
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  )
}

/** Says that a campaign is closed, and what was left undone. */
function Closed({ campaign: { total_inspected: done, total_vehicles: total } }: { campaign: Campaign }) {
  const t = useCampaignsText()
  return (
    <Button big wide disabled icon={done < total ? 'close' : 'check'}>
      {done < total ? t('closed.left', { left: count(total - done), total: count(total) }) : t('campaign.closedMessage')}
    </Button>
  )
}

/** The one thing to do next: start, go on, or nothing when all is done. */
function Go({ campaign, yard }: { campaign: Campaign; yard: number | null }) {
  const t = useText()
  const start = useStartCampaign()
  const next = campaign.next ?? null
  useVehicleAhead(next, yard)

  if (campaign.status === 'Closed') return <Closed campaign={campaign} />
  if (campaign.total_vehicles === 0) return <Empty icon="list" text={t('campaign.noVehicles')} />
  if (next === null) {
    return <Button big wide disabled icon="check">{t(yard === null ? 'campaign.allDone' : 'campaign.yardDone')}</Button>
  }
  const go = () => navigate(link(`/vehicle/${next}`, { yard }))
  const ready = campaign.status === 'Ready'
  return (
    <>
      <Button kind="primary" big wide icon="play" busy={start.isPending} onClick={() => (ready ? start.mutate(campaign.id, { onSuccess: go }) : go())}>
        {t(ready ? 'campaign.start' : 'campaign.continue')}
      </Button>
      {start.isError && <Note kind="error">{wordsFor(start.error, t)}</Note>}
    </>
  )
}
