import { useParams } from 'wouter'
import { getErrorMessage, isNotFoundError } from '@/api/apiProblem'
import { useSession } from '@/api/session'
import { useMediaQuery } from '@/lib/useMediaQuery'
import { mayManageCampaigns } from '@/lib/roles'
import { parseId, buildPath, navigate, useQueryParams } from '@/lib/route'
import { useText } from '@/lib/text'
import { ActionMenu, type ActionMenuItem } from '@/ui/ActionMenu'
import { LinkButton } from '@/ui/Button'
import { Card, ErrorNotice, Page } from '@/ui/Page'
import { StepIndicator } from '@/ui/StepIndicator'
import { useCampaign, useCampaignActivity, useCampaignYardProgress, useInspectionPace, type CampaignWithPendingSaves } from './api'
import { NeedsAttentionCard } from './NeedsAttentionCard'
import { CampaignFacts } from './CampaignFacts'
import { CampaignPageSkeleton } from './CampaignPageSkeleton'
import { CampaignKeyFigures } from './CampaignKeyFigures'
import { ActivityPhoneSections, PacePhoneSection } from './CampaignPhoneSections'
import { ActivitySection } from './dashboard/ActivitySection'
import { ParkingSpaceMapPanel } from './dashboard/ParkingSpaceMapPanel'
import { HistoryCard } from './history/HistoryCard'
import { nameYard } from './nameYard'
import { OfflineDownloadButton } from './OfflineDownloadButton'
import { InspectionPaceList } from './InspectionPaceList'
import { StartInspectionButton } from './StartInspectionButton'
import { hasVehiclesWithStatus, sumStatusCounts } from './StatusStackedBar'
import { SunlightModePrompt } from './SunlightModePrompt'
import { useCampaignsText } from './text'
import { useParkingSpaceMapVehicles } from './useParkingSpaceMapVehicles'
import { useDueDateAction } from './useDueDateAction'
import { useFinishForecast } from './useFinishForecast'
import { useOfflineDownload } from './useOfflineDownload'
import { useCampaignStatusActions } from './useCampaignStatusActions'
import { VehicleExportButton } from './VehicleExportButton'
import { YardFilterLink } from './YardFilterLink'
import { YardProgressStrip, YardProgressSkeleton } from './YardProgressStrip'
import { listIdleYards, listYardsWithVehicles, YardTable } from './YardTable'
import styles from './CampaignPage.module.css'

/**
 * Campaign screen, the last of three steps to an inspection. Its buttons start or continue the inspection, open the vehicle list, and
 * export the vehicles.
 */
export default function CampaignPage() {
  const t = useText()
  const id = parseId(useParams<{ id: string }>().id)
  const yard = parseId(useQueryParams().get('yard'))
  const words = useCampaignsText()
  const campaign = useCampaign(id ?? 0, yard)
  return (
    <Page title={campaign.data?.name ?? t('campaign.title')}>
      <div className={styles.head}>
        <div className={styles.where}>
          <StepIndicator current={3} />
        </div>
        {yard !== null && campaign.data && <YardFilterLink yard={nameYard(words, campaign.data.yard_name ?? String(yard))} to={`/campaign/${campaign.data.id}`} />}
      </div>
      {campaign.isPending && <CampaignPageSkeleton onRetry={() => void campaign.refetch()} />}
      {campaign.isError && <ErrorNotice isMissing={isNotFoundError(campaign.error)} text={getErrorMessage(campaign.error, t)} onRetry={() => void campaign.refetch()} />}
      {campaign.data && <Loaded campaign={campaign.data} yard={yard} />}
    </Page>
  )
}

/** Returns whether the device has a touch screen and the browser supports cameras. Scanning is then the main action of the page. */
const useScansByTouch = () => useMediaQuery('(pointer: coarse)') && globalThis.navigator.mediaDevices?.getUserMedia !== undefined

function Loaded({ campaign, yard }: { campaign: CampaignWithPendingSaves; yard: number | null }) {
  const t = useCampaignsText()
  const isWide = useMediaQuery('(min-width: 900px)')
  const isTouch = useScansByTouch()
  const isLow = useMediaQuery('(min-width: 600px) and (max-height: 480px)')
  const yards = useCampaignYardProgress(campaign)
  const pace = useInspectionPace(campaign)
  const isClosed = campaign.status === 'Closed'
  const due = useDueDateAction(campaign)
  const manages = mayManageCampaigns(useSession()?.user.user_type ?? '')
  const activity = useCampaignActivity(campaign)
  const forecast = useFinishForecast(campaign, activity.data, pace)
  const chart = { isCampaign: true, note: yard === null ? undefined : t('number.wholeCampaign'), query: activity, pace: pace?.people.length ? pace.per_hour : 0, dueAt: campaign.due_at, isClosed }
  const activityPart = (part: 'progress' | 'hours') => campaign.total_vehicles > 0 && <ActivitySection part={part} {...chart} />
  const figures = <CampaignKeyFigures manages={manages} campaign={campaign} pace={pace} activity={activity.data} forecast={forecast} yard={yard} />
  const bays = useParkingSpaceMapVehicles(campaign, isWide)
  const offline = useOfflineDownload(campaign, yard)
  const steps = useCampaignStatusActions(campaign)
  const { id, name, yard_name } = campaign
  const mayWalk = !isClosed && (campaign.total_vehicles > 0 || campaign.progress_unknown)
  const walk = buildPath(`/campaign/${id}/walk`, { yard })
  const hasBar = isTouch && mayWalk
  // In a low window, the bar has all ways to the vehicles, because the card reaches below the window. The figures then come before the rest.
  const isInBar = hasBar && isLow
  const start = <StartInspectionButton campaign={campaign} yard={yard} isPrimary={!hasBar} isWide={!isWide && !isInBar} />
  const list = (
    <LinkButton icon="list" to={buildPath(`/campaign/${id}/vehicles`, { yard: yard_name })}>
      {t('campaign.list')}
    </LinkButton>
  )
  const hrefOf = (one: { id: number }) => buildPath(`/campaign/${id}`, { yard: one.id === yard ? null : one.id })
  const idle = listIdleYards(yards.data ?? [], pace).map((one) => ({ yard: one, to: buildPath(`/campaign/${id}`, { yard: one.id }) }))
  const attention = manages && <NeedsAttentionCard campaigns={[id]} campaign={id} idle={idle} missing={bays.missing} sources={[activity, yards]} hasRepairs={hasVehiclesWithStatus(sumStatusCounts(activity.data?.yards ?? []), 'Repair')} />
  const takesInMenu = isWide && !isClosed && offline.problem === null && offline.snapshot === undefined && offline.download.isIdle
  const download = !takesInMenu && !isClosed && <OfflineDownloadButton campaign={campaign} offline={offline} />
  const rare: ActionMenuItem[] = [
    ...(isWide && !isTouch && mayWalk ? [{ icon: 'scan', text: t('campaign.walk'), label: t('campaign.walk'), onSelect: () => navigate(walk) } satisfies ActionMenuItem] : []),
    ...(takesInMenu ? [{ icon: 'phone', text: offline.label, label: offline.label, onSelect: offline.start } satisfies ActionMenuItem] : []),
    ...due.actions,
    ...steps.actions,
  ]
  return (
    <div className={styles.campaign}>
      <Card label={name}>
        <CampaignFacts campaign={campaign} />
        {isInBar && figures}
        <div className={styles.actions}>
          {!isInBar && start}
          {!isWide && !isTouch && mayWalk && (
            <LinkButton big wide icon="scan" to={walk}>
              {t('campaign.walk')}
            </LinkButton>
          )}
          <div className={styles.secondary}>
            {!isInBar && list}
            <VehicleExportButton campaign={campaign} />
            {rare.length > 0 && <ActionMenu label={t('more.title')} actions={rare} busy={steps.isBusy} />}
          </div>
        </div>
        {steps.elements}
        {due.dialog}
        {!isWide && !isInBar && figures}
        {!isWide && download}
      </Card>
      <SunlightModePrompt />
      {isWide && figures}
      <div className={styles.columns}>
        <div className={styles.column}>
          {isWide ? activityPart('progress') : attention}
          {yards.isPending && <YardProgressSkeleton />}
          {isWide ? (
            <YardTable yards={yards.data ?? []} pace={pace} activity={activity.data} forecast={forecast} current={yard} hrefOf={hrefOf} manages={manages} />
          ) : (
            <YardProgressStrip yards={yards.data ?? []} left={yard === null && !campaign.progress_unknown ? campaign.total_vehicles - campaign.total_inspected : undefined} current={yard} hrefOf={hrefOf} />
          )}
          {!isWide && manages && campaign.total_vehicles > 0 && <ActivityPhoneSections {...chart} />}
          {isWide && <ParkingSpaceMapPanel campaign={id} yards={listYardsWithVehicles(yards.data ?? [])} current={yard} isClosed={isClosed} {...bays} />}
        </div>
        <div className={styles.column}>
          {isWide && attention}
          {isWide ? <InspectionPaceList manages={manages} paces={pace === undefined ? [] : [pace]} /> : <PacePhoneSection manages={manages} pace={pace} />}
          {isWide && activityPart('hours')}
          {isWide && download}
          {manages && <HistoryCard campaign={id} />}
        </div>
      </div>
      {hasBar && (
        <div className={styles.bar} data-bottom-bar>
          {isInBar && start}
          {isInBar && list}
          <LinkButton kind="primary" big wide icon="scan" to={walk}>
            {t('campaign.walk')}
          </LinkButton>
        </div>
      )}
    </div>
  )
}
