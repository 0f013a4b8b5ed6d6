import { useState } from 'react'
import { getErrorMessage } from '@/api/apiProblem'
import type { Campaign, CampaignStatus } from '@/api/types'
import { countPages, PAGE_SIZE } from '@/lib/pagination'
import { parsePageNumber, setQueryParams, useQueryParams } from '@/lib/route'
import { Button } from '@/ui/Button'
import { CampaignTable } from '@/ui/CampaignTable'
import { SingleChoiceChips } from '@/ui/Chips'
import { Alert, EmptyState, ErrorNotice, Skeleton } from '@/ui/Page'
import { Pager } from '@/ui/Pager'
import { PrintedRangeLine } from '@/ui/PrintedRangeLine'
import { SearchBox } from '@/ui/SearchBox'
import { getCampaignStatusTextKey } from '@/ui/Status'
import { useManagedCampaigns } from './api'
import { CampaignActionButtons } from './CampaignActionButtons'
import { DeleteCampaignDialog } from './DeleteCampaignDialog'
import { useManagePageText } from './pageText'
import { useCampaignFileActions } from './useCampaignFileActions'
import styles from './ManagedCampaignList.module.css'

const SEARCH_DEBOUNCE_MS = 250
const STATUSES: readonly CampaignStatus[] = ['Ready', 'Ongoing', 'Pending Review', 'Closed']

/** Campaigns of one yard or of all yards, with search and pages. */
export function ManagedCampaignList({ yard }: { yard: number | null }) {
  const t = useManagePageText()
  const query = useQueryParams()
  const page = parsePageNumber(query)
  const search = query.get('search') ?? ''
  const status = STATUSES.find((known) => known === query.get('status')) ?? null
  const [leaving, setLeaving] = useState<Campaign | null>(null)
  const campaigns = useManagedCampaigns({ page: page - 1, search, status: status ?? 'all', ...(yard === null ? {} : { yard }) })
  const rows = campaigns.data?.campaigns
  const { files, failure } = useCampaignFileActions()
  return (
    <>
      <div className={styles.filters}>
        <SearchBox label={t('campaigns.search')} value={search} debounceMs={SEARCH_DEBOUNCE_MS} onChange={(text) => setQueryParams({ search: text, page: null })} />
        <StatusFilter value={status} />
      </div>
      {campaigns.isError && <ErrorNotice text={t('campaigns.failed', { why: getErrorMessage(campaigns.error, t) })} onRetry={() => void campaigns.refetch()} />}
      {campaigns.isPending && <Skeleton rows={5} height={64} label={t('common.loading')} onRetry={() => void campaigns.refetch()} />}
      {campaigns.data?.meta.total_count === 0 && (
        <EmptyState icon="list" text={search !== '' ? t('campaigns.noMatch', { search }) : t(status === null ? 'campaigns.noneManager' : 'manage.noneOfStatus')}>
          {(search !== '' || status !== null) && <Button onClick={() => setQueryParams({ search: null, status: null, page: null })}>{t('manage.showAll')}</Button>}
        </EmptyState>
      )}
      {failure !== null && <Alert kind="error">{failure}</Alert>}
      {campaigns.data && <PrintedRangeLine from={(page - 1) * PAGE_SIZE} count={campaigns.data.campaigns.length} total={campaigns.data.meta.total_count} />}
      {rows && rows.length > 0 && (
        <CampaignTable campaigns={rows} hrefOf={({ id }) => `/campaign/${id}/vehicles`} actions={{
          title: t('manage.actions'),
          render: (campaign) => <CampaignActionButtons campaign={campaign} files={files} onDelete={setLeaving} />,
        }} />
      )}
      {campaigns.data && <Pager page={page} pages={countPages(campaigns.data.meta.total_count)} onPage={(next) => setQueryParams({ page: next })} />}
      {leaving && <DeleteCampaignDialog campaign={leaving} onDone={() => setLeaving(null)} />}
    </>
  )
}

/** Filter of the list by campaign status, stored in the URL. */
function StatusFilter({ value }: { value: CampaignStatus | null }) {
  const t = useManagePageText()
  return (
    <SingleChoiceChips label={t('manage.statusFilter')} value={value} onChoose={(status) => setQueryParams({ status, page: null })} chips={[
      { value: null, text: t('manage.allStatuses') },
      ...STATUSES.map((status) => ({ value: status, text: t(getCampaignStatusTextKey(status) ?? 'campaign.ready') })),
    ]} />
  )
}
