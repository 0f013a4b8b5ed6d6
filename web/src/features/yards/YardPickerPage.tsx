import { wordsFor } from '@/api/problem'
import type { Campaign } from '@/api/types'
import { idFrom, Link, link, setQuery, useQueryParams } from '@/lib/route'
import { count } from '@/lib/time'
import { useText } from '@/lib/text'
import { LinkButton } from '@/ui/Button'
import { Choice } from '@/ui/Choice'
import { Select } from '@/ui/Field'
import { Empty, Failure, Page, Skeleton } from '@/ui/Page'
import { Progress, Steps } from '@/ui/Progress'
import { SearchBox } from '@/ui/SearchBox'
import { colourOf, useCampaignChoices, useTiles, type Tile } from './api'
import styles from './YardPickerPage.module.css'

/** Picks a yard: step 1 of 3, or step 2 when a campaign was picked first. */
export default function YardPickerPage() {
  const t = useText()
  const query = useQueryParams()
  const chosen = idFrom(query.get('campaign'))
  const search = query.get('search') ?? ''
  const choices = useCampaignChoices()
  const campaign = choices.data?.find(({ id }) => id === chosen)
  const waiting = chosen !== null && campaign === undefined && (choices.isPending || choices.isFetching)
  const isGone = chosen !== null && !waiting && choices.data !== undefined && campaign === undefined
  const picture = useTiles(campaign, waiting || isGone)
  const wanted = search.replace(/^\s*(yard|p[áa]tio)\b/i, '').trim().toLowerCase()
  const tiles = isGone ? undefined : picture.tiles?.filter(({ name }) => name.toLowerCase().includes(wanted))
  return (
    <Page title={t('yards.title')} subtitle={campaign && <ChosenCampaign campaign={campaign} />}>
      <Steps current={chosen === null ? 1 : 2} first={chosen === null ? 'yard' : 'campaign'} />
      {chosen === null && (
        <Choice label={t('home.startWith')} choices={[
          { text: t('home.byCampaign'), to: '/campaign-home', current: false },
          { text: t('home.byYard'), to: '/yard', current: true },
        ]} />
      )}
      <div className={styles.tools}>
        <Select label={t('yards.filter')} value={campaign?.id ?? ''} onChange={(event) => setQuery({ campaign: event.target.value })}>
          <option value="">{t('yards.allCampaigns')}</option>
          {choices.data?.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </Select>
        <SearchBox label={t('yards.search')} value={search} onChange={(text) => setQuery({ search: text })} />
      </div>
      {isGone && (
        <Empty icon="grid" text={t('problem.notFound')}>
          <LinkButton to="/campaign-home">{t('yard.selectCampaign')}</LinkButton>
        </Empty>
      )}
      {picture.isError && <Failure text={wordsFor(picture.error, t)} onRetry={() => void picture.refetch()} />}
      {!tiles && !picture.isError && !isGone && <Skeleton rows={4} height={104} label={t('common.loading')} />}
      {tiles?.length === 0 && <NoTiles search={search} campaign={campaign} />}
      <ul className={styles.tiles}>
        {tiles?.map((tile) => (
          <YardTile key={tile.id} tile={tile} campaign={campaign} />
        ))}
      </ul>
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

function YardTile({ tile, campaign }: { tile: Tile; campaign: Campaign | undefined }) {
  const t = useText()
  return (
    <li className={`${styles.tile} ${styles[colourOf(tile.total)]}`}>
      <Link href={link(`/yard/${tile.id}`, { campaign: campaign?.name, tab: campaign?.status === 'Closed' ? 'closed' : null })} className={styles.open}>
        <span className={styles.name}>{t('yard.named', { name: tile.name })}</span>
        <span className={styles.numbers}>
          {count(tile.inspected)}/{count(tile.total)}
        </span>
        <span className={styles.words}>{t('yards.words')}</span>
      </Link>
      <Progress quiet label={t('yards.progressOf', { name: tile.name })} done={tile.inspected} total={tile.total} />
    </li>
  )
}

function NoTiles({ search, campaign }: { search: string; campaign: Campaign | undefined }) {
  const t = useText()
  if (search !== '') return <Empty icon="grid" text={t('yards.noMatch', { search })} />
  return (
    <Empty icon="grid" text={t('yards.none')}>
      {campaign && <LinkButton to={`/campaign/${campaign.id}`}>{t('yards.openCampaign')}</LinkButton>}
    </Empty>
  )
}
