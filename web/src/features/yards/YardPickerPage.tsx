import { getErrorMessage } from '@/api/apiProblem'
import type { Campaign } from '@/api/types'
import { parseId, setQueryParams, useQueryParams } from '@/lib/route'
import { useText } from '@/lib/text'
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
  const isUnknown = chosen !== null && campaign === undefined // its tiles would lead to the yards of all campaigns
  const isGone = isUnknown && choices.data !== undefined && !choices.isFetching
  const picture = useYardSummaries(campaign, isUnknown)
  const failed = isUnknown && choices.isError ? choices : picture.isError ? picture : null
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
      {failed && <ErrorNotice text={getErrorMessage(failed.error, t)} onRetry={() => void failed.refetch()} />}
      {!tiles && !failed && !isGone && <Skeleton rows={4} height={104} label={t('common.loading')} onRetry={() => void picture.refetch()} />}
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
