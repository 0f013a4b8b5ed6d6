import { useQueries } from '@tanstack/react-query'
import { useOpenConflictsQuery } from '@/api/conflicts'
import type { CampaignPage } from '@/api/types'
import { getDeviceId } from '@/offline/outbox'
import { useCurrentTime } from '@/lib/timeAgo'
import { buildPath, Link } from '@/lib/route'
import { formatCount } from '@/lib/format'
import { ErrorNotice } from '@/ui/Page'
import { pendingSavesOnDevicesQuery, useLongRepairCount } from './api'
import type { MissingVehicleRange } from './dashboard/parkingSpaceGrid'
import { NeedsAttentionItem } from './NeedsAttentionItem'
import { useCampaignsText } from './text'
import { useTimeAgoFormatter } from './useTimeAgoFormatter'
import type { YardProgress } from './YardProgressStrip'
import styles from './NeedsAttentionCard.module.css'

interface NeedsAttentionCardProps {
  /** Ids of the campaigns for which the card lists silent phones with unsent saves. */
  campaigns: number[]
  /**
   * Id of the campaign whose conflicts and long repairs are counted. When absent, the card counts the conflicts of all campaigns, but no
   * long repairs.
   */
  campaign?: number
  /** Yards with uninspected vehicles and no active user, while other yards have active users. `to` is the URL of the yard. */
  idle?: { yard: YardProgress; to: string }[]
  /** Unbroken sequences of neighbouring parking spaces whose vehicles have the status Not Found. */
  missing?: MissingVehicleRange[]
  /** Whether the campaign has vehicles with the status Repair. */
  hasRepairs?: boolean
  /** First page of the campaigns that wait for a review; `undefined` until it is loaded. */
  reviews?: CampaignPage | undefined
  /** Queries that load the data of the other properties. If a query fails, the card states that its list may be incomplete. */
  sources?: { data: unknown; isPending: boolean; isError: boolean; refetch: () => unknown }[]
}

/**
 * Maximum number of rows for each kind of problem: idle yards, sequences of missing vehicles, and campaigns to review. A last line states
 * how many more problems of that kind exist.
 */
const MAX_NAMED = 3
/** Time in milliseconds without a report to the server after which a phone with unsent saves counts as silent and is listed. */
const SILENT_MS = 15 * 60_000
/** Time in milliseconds after which the visible card loads the unsent saves of the phones again. */
const REFETCH_MS = 60_000

/**
 * Card that lists what team leaders and supervisors should act on, worst first. The list contains open conflicts, silent
 * phones with unsent saves, idle yards, missing vehicles, long repairs and campaigns to review. It omits this device, which the person holds.
 */
export function NeedsAttentionCard({ campaigns, campaign, idle = [], missing = [], hasRepairs = false, reviews, sources = [] }: NeedsAttentionCardProps) {
  const t = useCampaignsText()
  const openConflicts = useOpenConflictsQuery(campaign)
  const conflicts = openConflicts.data
  const devices = useQueries({ queries: campaigns.map((id) => ({ ...pendingSavesOnDevicesQuery(id), staleTime: REFETCH_MS, refetchInterval: REFETCH_MS })) })
  const longRepairs = useLongRepairCount(campaign ?? 0, hasRepairs)
  const repairs = longRepairs.data ?? 0
  const now = useCurrentTime()
  const held = devices.flatMap(({ data }, index) => (data?.held ?? []).map((one) => ({ ...one, campaign: campaigns[index] ?? 0 })))
    .filter(({ device, told_at }) => device !== getDeviceId() && now - Date.parse(told_at) >= SILENT_MS)
    .toSorted((a, b) => Date.parse(a.oldest_at) - Date.parse(b.oldest_at))
  const failed = [openConflicts, longRepairs, ...devices, ...sources].filter(({ isError, data }) => isError && data === undefined)
  const isKnown = failed.length === 0 && conflicts !== undefined && !longRepairs.isLoading && [...devices, ...sources].every(({ isPending }) => !isPending)
  const open = conflicts?.meta.total_count ?? 0
  const toReview = reviews?.meta.total_count ?? 0
  const count = Math.min(open, 1) + held.length + (idle.length > MAX_NAMED ? 1 : idle.length) + missing.length + Math.min(repairs, 1) + toReview
  const listOf = (id: number, status: string) => buildPath(`/campaign/${id}/vehicles`, { status })
  return (
    <section className={styles.card} aria-labelledby="attention">
      <h2 className={styles.head}>
        <span id="attention">{t('attention.title')}</span>
        {count > 0 && <span className={styles.count}>{formatCount(count)}</span>}
      </h2>
      {open > 0 && <NeedsAttentionItem isUrgent icon="warning" to={buildPath('/conflicts', { campaign })} text={t('conflicts.open', { n: open })} detail={<Oldest at={conflicts?.conflicts.map(({ mine_at }) => mine_at) ?? []} total={open} />} />}
      {held.map((one) => (
        <SilentPhone key={`${one.campaign} ${one.hmc} ${one.device}`} {...one} to={campaign === undefined ? `/campaign/${one.campaign}` : listOf(campaign, 'waiting')} />
      ))}
      {idle.length <= MAX_NAMED && idle.map(({ yard: { id, name, done, total }, to }) => (
        <NeedsAttentionItem key={id} icon="people" to={to} text={t('attention.idle', { name, n: formatCount(total - done) })} />
      ))}
      {idle.length > MAX_NAMED && <NeedsAttentionItem icon="people" to="#yards" text={t('attention.idleYards', { n: idle.length, left: formatCount(idle.reduce((all, { yard }) => all + yard.total - yard.done, 0)) })} />}
      {missing.slice(0, MAX_NAMED).map(({ first, last, vehicles }) => (
        <NeedsAttentionItem key={first} icon="question" to={listOf(campaign ?? 0, 'Not Found')} text={t('attention.missing', { n: formatCount(vehicles), first, last })} />
      ))}
      {missing.length > MAX_NAMED && <Link className={styles.more} href={listOf(campaign ?? 0, 'Not Found')}>{t('attention.moreMissing', { n: missing.length - MAX_NAMED })}</Link>}
      {repairs > 0 && <NeedsAttentionItem icon="spanner" to={listOf(campaign ?? 0, 'Repair')} text={t('attention.repairs', { n: repairs })} />}
      {reviews?.campaigns.slice(0, MAX_NAMED).map(({ id, name }) => (
        <NeedsAttentionItem key={id} icon="eye" to={`/campaign/${id}`} text={t('attention.review', { name })} />
      ))}
      {toReview > MAX_NAMED && <Link className={styles.more} href="/campaign-list?status=Pending%20Review">{t('attention.moreReviews', { n: toReview - MAX_NAMED })}</Link>}
      {failed.length > 0 && <ErrorNotice kind="warning" text={t('attention.incomplete')} onRetry={() => failed.forEach((query) => void query.refetch())} />}
      {isKnown && count === 0 && <p className="quiet">{t(campaign === undefined ? 'attention.noneAnywhere' : 'attention.none')}</p>}
    </section>
  )
}

/** Text with the age of the oldest of `total` items. If `at` contains the times of only some items, the text states a minimum age. */
function Oldest({ at, total }: { at: string[]; total: number }) {
  const t = useCampaignsText()
  const ageOf = useTimeAgoFormatter()
  return t(at.length < total ? 'attention.oldestOrMore' : 'attention.oldest', { age: ageOf(Math.min(...at.map((one) => Date.parse(one)))) })
}

interface SilentPhoneProps {
  hmc: string
  saves: number
  oldest_at: string
  to: string
}

/** Row for a silent phone with unsent saves: the user of the phone, the number of saves, and the age of the oldest save. */
function SilentPhone({ hmc, saves, oldest_at, to }: SilentPhoneProps) {
  const t = useCampaignsText()
  const age = useTimeAgoFormatter()(Date.parse(oldest_at))
  return <NeedsAttentionItem isUrgent icon="phone" to={to} text={t('attention.silent', { hmc })} detail={t('held.line', { n: saves, age })} />
}
