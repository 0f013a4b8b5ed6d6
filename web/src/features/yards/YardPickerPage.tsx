import { getErrorMessage } from '@/api/apiProblem'
import type { Campaign } from '@/api/types'
import { useCancelAndRefetch } from '@/api/useCancelAndRefetch'
import { parseId, setQueryParams, useQueryParams } from '@/lib/route'
import { useText } from '@/lib/text'
import { allCampaignsQuery } from '@/offline/queries'
import { LinkButton } from '@/ui/Button'
import { LinkTabs } from '@/ui/LinkTabs'
import { Select } from '@/ui/Field'
import { EmptyState, ErrorNotice, Page, Skeleton } from '@/ui/Page'
import { StepIndicator } from '@/ui/StepIndicator'
import { SearchBox } from '@/ui/SearchBox'
import { useAllCampaigns, useActiveInspectorsByYard, useYardSummaries } from './api'
import { YardTiles } from './YardTiles'
import styles from './YardPickerPage.module.css'

/** Yard picker, the first of three steps to an inspection, or the second step when the campaign was picked first. */
export default function YardPickerPage() {
  const t = useText()
  const query = useQueryParams()
  const chosen = parseId(query.get('campaign'))
  const search = query.get('search') ?? ''
  const choices = useAllCampaigns()
  const campaign = choices.data?.find(({ id }) => id === chosen)
  // The chosen campaign is not loaded or does not exist. Yard tiles without a campaign would link to the vehicles of all campaigns.
  const isUnknown = chosen !== null && campaign === undefined
  const isGone = isUnknown && choices.isSuccess && !choices.isFetching
  const picture = useYardSummaries(campaign, isUnknown)
  const needed = isUnknown ? choices : picture
  const refetchChoices = useCancelAndRefetch(allCampaignsQuery.queryKey)
  const retry = () => void (isUnknown ? refetchChoices() : picture.refetch())
  const people = useActiveInspectorsByYard(campaign, choices.data)
  const wanted = search.replace(/^\s*(yard|p[áa]tio)\b/i, '').trim().toLowerCase()
  const tiles = isUnknown ? undefined : picture.tiles?.filter(({ name }) => name.toLowerCase().includes(wanted))
  return (
    <Page title={t('yards.title')} subtitle={campaign && <ChosenCampaign campaign={campaign} />}>
      <StepIndicator current={chosen === null ? 1 : 2} first={chosen === null ? 'yardFirst' : 'campaignFirst'} />
      {chosen === null && (
        <LinkTabs label={t('home.startWith')} choices={[
          { text: t('home.byCampaign'), to: '/campaign-home', current: false },
          { text: t('home.byYard'), to: '/yard', current: true },
        ]} />
      )}
      <div className={styles.tools}>
        <Select label={t('yards.filter')} value={campaign?.id ?? ''} onChange={(event) => setQueryParams({ campaign: event.target.value })}>
          <option value="">{t('yards.allCampaigns')}</option>
          {choices.data?.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </Select>
        <SearchBox label={t('yards.search')} value={search} onChange={(text) => setQueryParams({ search: text })} />
      </div>
      {isGone && (
        <EmptyState icon="grid" text={t('problem.notFound')}>
          <LinkButton to="/campaign-home">{t('yard.selectCampaign')}</LinkButton>
        </EmptyState>
      )}
      {needed.isError && <ErrorNotice text={getErrorMessage(needed.error, t)} onRetry={retry} />}
      {!tiles && !needed.isError && !isGone && <Skeleton rows={4} height={104} label={t('common.loading')} onRetry={retry} />}
      {tiles?.length === 0 && <NoTiles search={search} campaign={campaign} />}
      {tiles && <YardTiles tiles={tiles} campaign={campaign} people={people} searched={search !== ''} />}
    </Page>
  )
}

function ChosenCampaign({ campaign }: { campaign: Campaign }) {
  const t = useText()
  return (
    <p className={styles.chosen}>
      {t('yards.chosen', { id: campaign.id, name: campaign.name })}
    </p>
  )
}

function NoTiles({ search, campaign }: { search: string; campaign: Campaign | undefined }) {
  const t = useText()
  if (search !== '') return <EmptyState icon="grid" text={t('yards.noMatch', { search })} />
  return (
    <EmptyState icon="grid" text={t('yards.none')}>
      {campaign && <LinkButton to={`/campaign/${campaign.id}`}>{t('yards.openCampaign')}</LinkButton>}
    </EmptyState>
  )
}
