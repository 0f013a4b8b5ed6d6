import type { Campaign } from '@/api/types'
import { buildPath, Link } from '@/lib/route'
import { formatCount } from '@/lib/format'
import { Icon } from '@/ui/Icon'
import { ProgressBar } from '@/ui/ProgressBar'
import { chooseYardTileColour, groupYardsByOccupancy, isYardFinished, type YardSummary } from './api'
import { useYardsText } from './text'
import styles from './YardTiles.module.css'

interface YardTilesProps {
  tiles: YardSummary[]
  campaign: Campaign | undefined
  /** Login names (HMCs) of the people who are inspecting, by the id of the yard. */
  people: Map<number, string[]>
  /** Whether the tiles are the result of a search. If so, the section of yards without vehicles is expanded. */
  searched: boolean
}

/** Tiles of the yards: first yards with uninspected vehicles, then finished yards. Yards without vehicles are in a collapsed section. */
export function YardTiles({ tiles, searched, ...rest }: YardTilesProps) {
  const t = useYardsText()
  const { busy, empty } = groupYardsByOccupancy(tiles)
  return (
    <>
      {busy.length > 0 && <Tiles tiles={busy} {...rest} />}
      {empty.length > 0 && (
        <details key={String(searched)} className={styles.fold} open={searched || busy.length === 0}>
          <summary className={styles.summary}>
            <Icon name="down" size={20} />
            {t('yards.empty', { n: empty.length })}
          </summary>
          <Tiles tiles={empty} {...rest} />
        </details>
      )}
    </>
  )
}

function Tiles({ tiles, campaign, people }: Omit<YardTilesProps, 'searched'>) {
  return (
    <ul className={styles.tiles}>
      {tiles.map((tile) => (
        <YardTile key={tile.id} tile={tile} campaign={campaign} people={people.get(tile.id) ?? []} />
      ))}
    </ul>
  )
}

function YardTile({ tile, campaign, people }: { tile: YardSummary; campaign: Campaign | undefined; people: string[] }) {
  const t = useYardsText()
  return (
    <li className={`${styles.tile} ${styles[chooseYardTileColour(tile.total)]}`}>
      <Link href={buildPath(`/yard/${tile.id}`, { campaign: campaign?.name, tab: campaign?.status === 'Closed' ? 'closed' : null })} className={styles.open}>
        <span className={styles.name}>{t('yard.named', { name: tile.name })}</span>
        <span className={styles.numbers}>
          {formatCount(tile.inspected)}/{formatCount(tile.total)}
        </span>
        <span className={styles.words}>{t('yards.words')}</span>
      </Link>
      {tile.total > 0 && <State tile={tile} people={people} />}
      <ProgressBar quiet label={t('yards.progressOf', { name: tile.name })} done={tile.inspected} total={tile.total} />
    </li>
  )
}

/**
 * Line of a tile with the number of vehicles left and the people who work in the yard. Shows a check mark once all vehicles are inspected.
 */
function State({ tile, people }: { tile: YardSummary; people: string[] }) {
  const t = useYardsText()
  const names = `HMC ${people.join(', ')}`
  return (
    <p className={styles.state}>
      {isYardFinished(tile) ? (
        <span className={styles.done}>
          <Icon name="check" size={18} />
          {t('yards.done')}
        </span>
      ) : (
        <span>{t('yards.left', { n: formatCount(tile.total - tile.inspected) })}</span>
      )}
      {people.length > 0 && (
        <span className={styles.people} title={names}>
          <Icon name="people" size={18} />
          <span className="sr-only">{t('yards.people', { people: names })}</span>
          <span className="ellipsis" aria-hidden="true">
            {names}
          </span>
        </span>
      )}
    </p>
  )
}
