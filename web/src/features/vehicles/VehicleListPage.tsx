import { useDeferredValue, useMemo } from 'react'
import { useParams } from 'wouter'
import { wordsFor } from '@/api/problem'
import { useSession } from '@/api/session'
import type { ListedVehicle } from '@/api/types'
import { pageCount, PER_PAGE } from '@/lib/pages'
import { mayManage } from '@/lib/roles'
import { idFrom, link, pageFrom, setQuery, useQueryParams } from '@/lib/route'
import { useText } from '@/lib/text'
import { isDash } from '@/lib/yards'
import { Button, LinkButton } from '@/ui/Button'
import { Select } from '@/ui/Field'
import { Empty, Failure, Page, Skeleton, Spinner } from '@/ui/Page'
import { Pager } from '@/ui/Pager'
import { SearchBox } from '@/ui/SearchBox'
import { useCampaignHead, useEarlyRows, useWholeList } from './api'
import { find, prepare, type Filter } from './list'
import { StatusChips } from './StatusChips'
import { useScanText } from './text'
import { VehicleTable } from './VehicleTable'
import styles from './VehicleListPage.module.css'

/** A key shows itself first and is searched for in the next task; one that comes sooner takes its place. */
const SEARCH_REST = 8

/** Every vehicle of a campaign, searched, filtered and paged in the browser. */
export default function VehicleListPage() {
  const t = useScanText()
  const id = idFrom(useParams<{ id: string }>().id) ?? 0
  const campaign = useCampaignHead(id)
  const list = useWholeList(id)
  return (
    <Page title={t('vehicles.title')} subtitle={campaign.data && (
      <>
        <p className={styles.campaign}>{campaign.data.name}</p>
        <p className="quiet">
          {campaign.data.part} · {campaign.data.description}
        </p>
      </>
    )}>
      {list.data && list.data.length > 0 && campaign.data && campaign.data.status !== 'Closed' && (
        <LinkButton big wide icon="scan" to={link(`/campaign/${id}/walk`)}>
          {t('walk.open')}
        </LinkButton>
      )}
      {list.isError ? <Failure text={wordsFor(list.error, t)} onRetry={() => void list.refetch()} /> : <Vehicles campaign={id} whole={list.data} />}
    </Page>
  )
}

function useFilter(): Filter & { page: number } {
  const query = useQueryParams()
  return { search: query.get('search') ?? '', yard: query.get('yard') ?? '', status: query.get('status') ?? '', page: pageFrom(query) }
}

/** What those see who do not see the yard of the dash. */
const withoutDash = (vehicles: ListedVehicle[] | undefined) => vehicles?.filter(({ yard_group }) => !isDash(yard_group))

/** The search and its answer; until the whole list is there, the server answers for the first rows. */
function Vehicles({ campaign, whole }: { campaign: number; whole: ListedVehicle[] | undefined }) {
  const t = useText()
  const { search, yard, status, page } = useFilter()
  const seesDash = mayManage(useSession()?.user.user_type ?? '')
  const visible = useMemo(() => (seesDash ? whole : withoutDash(whole)), [whole, seesDash])
  // The first rows are drawn before the list is prepared for counting and searching.
  const ready = useDeferredValue(visible, undefined)
  const prepared = useMemo(() => prepare(ready ?? []), [ready])
  const found = useMemo(() => find(prepared, { search, yard, status }), [prepared, search, yard, status])
  const early = useEarlyRows(campaign, { search, page }, whole === undefined && yard === '' && status === '')
  const all = ready === undefined ? visible : found.vehicles
  const pages = pageCount(all?.length ?? 0)
  const shown = Math.min(page, pages)
  const isKnown = visible !== undefined && (ready !== undefined || (search === '' && yard === '' && status === ''))
  const rows = visible === undefined ? (seesDash ? early.data : withoutDash(early.data)) : isKnown ? all?.slice((shown - 1) * PER_PAGE, shown * PER_PAGE) : undefined
  if (visible?.length === 0) return <Empty icon="list" text={t('vehicles.none')} />
  return (
    <>
      <div className={styles.tools}>
        <SearchBox label={t('vehicles.search')} value={search} rest={SEARCH_REST} onChange={(text) => setQuery({ search: text, page: null })} />
        <Select label={t('vehicles.yardFilter')} value={yard} onChange={(event) => setQuery({ yard: event.target.value, page: null })}>
          <option value="">{t('vehicles.allYards')}</option>
          {(ready === undefined ? [yard].filter(Boolean) : prepared.places).filter((name) => seesDash || !isDash(name)).map((name) => (
            <option key={name} value={name}>
              {t('yard.named', { name })}
            </option>
          ))}
        </Select>
      </div>
      {ready === undefined ? <Loading /> : <StatusChips counts={found.counts} total={found.total} value={status} onChange={(next) => setQuery({ status: next, page: null })} />}
      {rows === undefined && <Skeleton rows={PER_PAGE} height={64} label={t('vehicles.loading')} />}
      {rows && rows.length > 0 && <VehicleTable vehicles={rows} inYard={yard !== ''} />}
      {visible && rows?.length === 0 && (
        <Empty icon="search" text={t('vehicles.noMatch')}>
          <Button onClick={() => setQuery({ search: null, yard: null, status: null, page: null })}>{t('vehicles.showAll')}</Button>
        </Empty>
      )}
      <Pager page={shown} pages={pages} onPage={(next) => setQuery({ page: next })} />
    </>
  )
}

function Loading() {
  const t = useText()
  return (
    <p role="status" className={styles.loading}>
      <Spinner />
      {t('vehicles.loading')}
    </p>
  )
}
