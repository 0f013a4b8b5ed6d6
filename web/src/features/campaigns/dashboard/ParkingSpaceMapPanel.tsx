import { memo, useMemo, useState, type MouseEvent } from 'react'
import type { ListedVehicle } from '@/api/types'
import { findNextVehicle } from '@/lib/nextVehicles'
import { buildPath, navigate } from '@/lib/route'
import { formatCount } from '@/lib/format'
import { Button, LinkButton } from '@/ui/Button'
import { SingleChoiceChips } from '@/ui/Chips'
import { Icon } from '@/ui/Icon'
import { Card, Skeleton } from '@/ui/Page'
import { getVehicleStatusClass, getVehicleStatusIcon } from '@/ui/Status'
import { createParkingSpaceGrid, buildParkingSpaceSvgPath, computeGridHeight, ROW_LABEL_WIDTH_PX, type ParkingSpaceGrid } from './parkingSpaceGrid'
import { useDashboardText } from './text'
import { useElementWidth } from './useElementWidth'
import styles from './ParkingSpaceMapPanel.module.css'

/**
 * Maximum number of status symbols on the map. If more would be needed, none are drawn, because they would slow the page down and hide the
 * map.
 */
const MAX_SIGNS = 1500

interface BayPanelProps {
  campaign: number
  yards: { id: number; name: string; done: number; total: number }[]
  /** Id of the yard that is chosen on the campaign page; `null` when none is chosen. */
  current: number | null
  /** Vehicles of the campaign in walking order; `undefined` until they are loaded. */
  vehicles: readonly ListedVehicle[] | undefined
  isLoading: boolean
  /** Whether the campaign is closed. The map then marks no next vehicle. */
  isClosed: boolean
  /** Called when the person requests the vehicles of a large campaign, which are not loaded with the page. */
  onLoad: () => void
}

/**
 * Map of the parking spaces of one yard in walking order, each with the status of its vehicle. A click on a space opens the vehicle;
 * keyboard users open vehicles through the link to the list.
 */
export function ParkingSpaceMapPanel({ campaign, yards, current, vehicles, isLoading, isClosed, onLoad }: BayPanelProps) {
  const t = useDashboardText()
  const [chosen, setChosen] = useState<string | null>(null)
  const yard = yards.find(({ id, name }) => (chosen === null ? id === current : name === chosen)) ?? yards.find(({ done, total }) => done < total) ?? yards[0]
  const bays = useMemo(() => vehicles?.filter(({ id_yard }) => id_yard === yard?.id), [vehicles, yard?.id])
  if (yard === undefined) return null
  return (
    <Card label={t('bays.title', { name: yard.name })}>
      <div className={styles.head}>
        <h2>{t('bays.title', { name: yard.name })}</h2>
        <SingleChoiceChips label={t('bays.yards')} value={yard.name} chips={yards.map(({ name }) => ({ value: name, text: name }))} onChoose={setChosen} />
      </div>
      {bays === undefined && (isLoading ? <Skeleton height={120} label={t('bays.loading')} /> : <div><Button onClick={onLoad}>{t('bays.show')}</Button></div>)}
      {bays !== undefined && <BayMap key={yard.id} bays={bays} isClosed={isClosed} />}
      <div>
        <LinkButton icon="list" to={buildPath(`/campaign/${campaign}/vehicles`, { yard: yard.name })}>{t('bays.list', { name: yard.name })}</LinkButton>
      </div>
    </Card>
  )
}

const describe = ({ parking_space, vin_number, status }: ListedVehicle, waiting: string): string => `${parking_space} · ${vin_number} · ${status || waiting}`

function BayMap({ bays, isClosed }: { bays: ListedVehicle[]; isClosed: boolean }) {
  const t = useDashboardText()
  const [frame, width] = useElementWidth(640)
  const [pointed, setPointed] = useState(-1)
  const grid = useMemo(() => createParkingSpaceGrid(bays.length, width), [bays.length, width])
  const height = computeGridHeight(grid)
  const { next: uninspected, left } = useMemo(() => findNextVehicle(bays, null, null), [bays])
  const next = isClosed ? null : uninspected
  const exceptions = useMemo(() => listExceptions(bays), [bays])
  const indexAt = ({ currentTarget, clientX, clientY }: MouseEvent<SVGSVGElement>) => {
    const { left: x, top: y } = currentTarget.getBoundingClientRect()
    return grid.find(clientX - x, clientY - y)
  }
  const open = (index: number) => {
    const bay = bays[index]
    if (bay) navigate(`/vehicle/${bay.id}`)
  }
  const bay = bays[pointed] ?? next
  const summary = t('bays.summary', { n: formatCount(bays.length), left: formatCount(left) })
  const label = [summary, ...exceptions].join(', ')
  return (
    <div ref={frame} className={styles.map}>
      <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label} onPointerMove={(event) => setPointed(indexAt(event))}
        onPointerLeave={() => setPointed(-1)} onPointerUp={(event) => open(indexAt(event))}>
        <Picture bays={bays} grid={grid} next={next} />
        {pointed >= 0 && <Outline grid={grid} index={pointed} className={styles.pointed} />}
      </svg>
      <p className={styles.words}>{bay ? `${pointed < 0 ? `${t('bays.next')}: ` : ''}${describe(bay, t('status.waiting'))}` : left > 0 ? summary : t('bays.done')}</p>
    </div>
  )
}

/** Parts of the map that do not depend on the pointer. These parts are drawn again only when a vehicle or the width changes. */
const Picture = memo(function Picture({ bays, grid, next }: { bays: readonly ListedVehicle[]; grid: ParkingSpaceGrid; next: ListedVehicle | null }) {
  return (
    <>
      <RowNames bays={bays} grid={grid} />
      <Bays bays={bays} grid={grid} />
      {next && <Outline grid={grid} index={bays.indexOf(next)} className={styles.next} />}
    </>
  )
})

/** Returns a text for each status other than ok, with the number of vehicles that have the status, such as `ng 3`. */
function listExceptions(bays: readonly ListedVehicle[]): string[] {
  const counts = new Map<string, number>()
  for (const { status } of bays) if (status !== '' && status !== 'ok') counts.set(status, (counts.get(status) ?? 0) + 1)
  return [...counts].map(([status, n]) => `${status} ${formatCount(n)}`)
}

function RowNames({ bays, grid }: { bays: readonly ListedVehicle[]; grid: ParkingSpaceGrid }) {
  return Array.from({ length: grid.rows }, (_, row) => (
    <text key={row} x={ROW_LABEL_WIDTH_PX - 8} y={grid.at(row * grid.columns).y + grid.side / 2 + 4} textAnchor="end" className={styles.name}>
      {bays[row * grid.columns]?.parking_space}
    </text>
  ))
}

/**
 * Drawing of all parking spaces: one SVG path for each status, and a symbol on each space with a status other than ok. The symbols are left
 * out if there are more than `MAX_SIGNS`.
 */
function Bays({ bays, grid }: { bays: readonly ListedVehicle[]; grid: ParkingSpaceGrid }) {
  const groups = new Map<string, number[]>()
  bays.forEach(({ status, inspected }, index) => {
    const group = status === '' && !inspected ? 'waiting' : status
    const indexes = groups.get(group)
    if (indexes === undefined) groups.set(group, [index])
    else indexes.push(index)
  })
  const exceptions = [...groups].filter(([group]) => group !== 'waiting' && group !== 'ok' && group !== '')
  const isSigned = exceptions.reduce((sum, [, indexes]) => sum + indexes.length, 0) <= MAX_SIGNS
  return (
    <>
      {[...groups].map(([group, indexes]) => (
        <path key={group} d={buildParkingSpaceSvgPath(grid, indexes)} className={group === 'waiting' ? styles.waiting : group === 'ok' || group === '' ? styles.ok : `${styles.exception} ${getVehicleStatusClass(group)}`} />
      ))}
      {isSigned && exceptions.flatMap(([group, indexes]) => indexes.map((index) => {
        const { x, y } = grid.at(index)
        return <g key={index} transform={`translate(${x + grid.side / 2 - 7} ${y + grid.side / 2 - 7})`} className={styles.sign}><Icon name={getVehicleStatusIcon(group)} size={14} /></g>
      }))}
    </>
  )
}

function Outline({ grid, index, className }: { grid: ParkingSpaceGrid; index: number; className: string | undefined }) {
  const { x, y } = grid.at(index)
  return <rect x={x - 1} y={y - 1} width={grid.side + 2} height={grid.side + 2} rx="2" className={className} />
}
