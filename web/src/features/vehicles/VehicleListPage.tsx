import { useMemo } from 'react'
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
import { useCampaignHead, useWholeList } from './api'
import { find, prepare, type Filter } from './list'
import { StatusChips } from './StatusChips'
import { useScanText } from './text'
import { VehicleTable } from './VehicleTable'
import styles from './VehicleListPage.module.css'

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
      {list.isPending && (
        <>
          <p role="status" className={styles.loading}>
            <Spinner />
            {t('vehicles.loading')}
          </p>
          <Skeleton rows={PER_PAGE} height={52} label={t('vehicles.loading')} />
        </>
      )}
      {list.isError && <Failure text={wordsFor(list.error, t)} onRetry={() => void list.refetch()} />}
      {list.data && list.data.length > 0 && campaign.data && campaign.data.status !== 'Closed' && (
        <LinkButton big wide icon="scan" to={link(`/campaign/${id}/walk`)}>
          {t('walk.open')}
        </LinkButton>
      )}
      {list.data && <Loaded vehicles={list.data} />}
    </Page>
  )
}

function useFilter(): Filter & { page: number } {
  const query = useQueryParams()
  return { search: query.get('search') ?? '', yard: query.get('yard') ?? '', status: query.get('status') ?? '', page: pageFrom(query) }
}

function Loaded({ vehicles }: { vehicles: ListedVehicle[] }) {
  const t = useText()
  const { search, yard, status, page } = useFilter()
  const seesDash = mayManage(useSession()?.user.user_type ?? '')
  const prepared = useMemo(() => prepare(vehicles), [vehicles])
  const found = useMemo(() => find(prepared, { search, yard, status }), [prepared, search, yard, status])
  const pages = pageCount(found.vehicles.length)
  const shown = Math.min(page, pages)
  const rows = found.vehicles.slice((shown - 1) * PER_PAGE, shown * PER_PAGE)
  if (vehicles.length === 0) return <Empty icon="list" text={t('vehicles.none')} />
  return (
    <>
      <div className={styles.tools}>
        <SearchBox label={t('vehicles.search')} value={search} onChange={(text) => setQuery({ search: text, page: null })} />
        <Select label={t('vehicles.yardFilter')} value={yard} onChange={(event) => setQuery({ yard: event.target.value, page: null })}>
          <option value="">{t('vehicles.allYards')}</option>
          {prepared.yards.filter((name) => seesDash || !isDash(name)).map((name) => (
            <option key={name} value={name}>
              {t('yard.named', { name })}
            </option>
          ))}
        </Select>
      </div>
      <StatusChips counts={found.counts} total={found.total} value={status} onChange={(next) => setQuery({ status: next, page: null })} />
      {rows.length === 0 ? (
        <Empty icon="search" text={t('vehicles.noMatch')}>
          <Button onClick={() => setQuery({ search: null, yard: null, status: null, page: null })}>{t('vehicles.showAll')}</Button>
        </Empty>
      ) : (
        <VehicleTable vehicles={rows} inYard={yard !== ''} />
      )}
      <Pager page={shown} pages={pages} onPage={(next) => setQuery({ page: next })} />
    </>
  )
}
