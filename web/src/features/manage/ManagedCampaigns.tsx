import { useState } from 'react'
import { wordsFor } from '@/api/problem'
import type { Campaign } from '@/api/types'
import { pageCount } from '@/lib/pages'
import { pageFrom, setQuery, useQueryParams } from '@/lib/route'
import { count } from '@/lib/time'
import { CampaignTable } from '@/ui/CampaignTable'
import { Confirm } from '@/ui/Dialog'
import { Empty, Failure, Note, Skeleton } from '@/ui/Page'
import { Pager } from '@/ui/Pager'
import { SearchBox } from '@/ui/SearchBox'
import { toast } from '@/ui/Toast'
import { useDeleteCampaign, useManagedCampaigns } from './api'
import { CampaignActions } from './CampaignActions'
import { useManageText } from './text'
import { useCampaignFiles } from './useCampaignFiles'

const SEARCH_REST = 250

/** Every campaign of the yard, or of all yards, searched and paged. */
export function ManagedCampaigns({ yard }: { yard: number | null }) {
  const t = useManageText()
  const query = useQueryParams()
  const page = pageFrom(query)
  const search = query.get('search') ?? ''
  const [leaving, setLeaving] = useState<Campaign | null>(null)
  const campaigns = useManagedCampaigns({ page: page - 1, search, status: 'all', ...(yard === null ? {} : { yard }) })
  const rows = campaigns.data?.campaigns
  const { files, failure } = useCampaignFiles()
  return (
    <>
      <SearchBox label={t('campaigns.search')} value={search} rest={SEARCH_REST} onChange={(text) => setQuery({ search: text, page: null })} />
      {campaigns.isError && <Failure text={t('campaigns.failed', { why: wordsFor(campaigns.error, t) })} onRetry={() => void campaigns.refetch()} />}
      {campaigns.isPending && <Skeleton rows={5} height={64} label={t('common.loading')} />}
      {campaigns.data?.meta.total_count === 0 && <Empty icon="list" text={search === '' ? t('campaigns.noneManager') : t('campaigns.noMatch', { search })} />}
      {failure !== null && <Note kind="error">{failure}</Note>}
      {rows && rows.length > 0 && (
        <CampaignTable campaigns={rows} hrefOf={({ id }) => `/campaign/${id}/vehicles`} actions={{
          title: t('manage.actions'),
          render: (campaign, wide) => <CampaignActions campaign={campaign} files={files} onDelete={setLeaving} named={!wide} />,
        }} />
      )}
      {campaigns.data && <Pager page={page} pages={pageCount(campaigns.data.meta.total_count)} onPage={(next) => setQuery({ page: next })} />}
      {leaving && <DeleteCampaign campaign={leaving} onDone={() => setLeaving(null)} />}
    </>
  )
}

function DeleteCampaign({ campaign, onDone }: { campaign: Campaign; onDone: () => void }) {
  const t = useManageText()
  const remove = useDeleteCampaign()
  const yes = () => remove.mutate(campaign, {
    onSuccess: () => {
      toast('success', t('manage.deleted', { name: campaign.name }))
      onDone()
    },
  })
  return (
    <Confirm question={t('manage.deleteQuestion', { name: campaign.name })} busy={remove.isPending} onYes={yes} onNo={onDone}>
      <p>{t('manage.deleteText', { n: count(campaign.total_vehicles) })}</p>
      {remove.error && <Note kind="error">{t('manage.notDeleted', { why: wordsFor(remove.error, t) })}</Note>}
    </Confirm>
  )
}
