import { useId } from 'react'
import type { InspectionActivity } from '@/api/types'
import { formatCount } from '@/lib/format'
import { listProgressPoints, listRequiredProgressPoints, type FinishForecast, type ProgressPoint } from './forecast'
import type { DateFormatters } from './dateFormatters'
import { listAxisTicks, listTimeTicks, createLinearScale } from './chartScale'
import { useDashboardText } from './text'
import { useElementWidth } from './useElementWidth'
import { getStartOfDay, HOUR_MS } from './workingHours'
import styles from './ProgressChart.module.css'

const [HEIGHT, TOP, LEFT, RIGHT, BOTTOM] = [248, 30, 46, 14, 26]
const DAY = 24 * HOUR_MS
const LABEL_WIDTH = 72
const LETTER_WIDTH = 6.4

interface ProgressChartProps {
  activity: InspectionActivity
  outlook: FinishForecast
  now: number
  /** Whether the chart shows only the current day. */
  isToday: boolean
  label: string
  formats: DateFormatters
}

/**
 * Returns the start and end times of the chart. Today's chart covers the working hours. Any other chart covers the past since the first
 * point, and the future until the forecast or the due date, whichever is later. The future part is at most as long as the past part, or
 * one day if the past part is shorter than a day.
 */
function spanOf(points: ProgressPoint[], { outlook: { hours, finish, need }, now, isToday }: ProgressChartProps): [number, number] {
  const day = getStartOfDay(now)
  const first = points[0]?.at ?? now
  if (isToday) return [Math.min(day + hours.first * HOUR_MS, first), Math.max(day + hours.end * HOUR_MS, now)]
  const begin = Math.min(first, now - HOUR_MS)
  return [begin, Math.min(Math.max(now, finish?.latest ?? 0, need?.dueAt ?? 0), now + Math.max(now - begin, DAY))]
}

/** Line chart of the inspected vehicles over time. The forecast is a hatched area, and the progress needed to meet the due date is a line. */
export function ProgressChart(props: ProgressChartProps) {
  const { activity, outlook: { hours, finish, need }, now, isToday, label, formats } = props
  const t = useDashboardText()
  const [frame, width] = useElementWidth(640)
  const [id, clip] = [useId(), useId()]
  const { total, inspected } = activity
  const points = listProgressPoints(activity, now, isToday ? getStartOfDay(now) : 0)
  const [begin, end] = spanOf(points, props)
  const floor = HEIGHT - BOTTOM
  const [x, y] = [createLinearScale(begin, end, LEFT, width - RIGHT), createLinearScale(0, total, floor, TOP)]
  const placesOf = (line: ProgressPoint[]) => line.map(({ at, done }): Place => [x(at), y(done)])
  const path = drawLine(placesOf(points))
  const needed = need && need.dueAt > now ? placesOf(listRequiredProgressPoints(activity, need.dueAt, hours, now)) : []
  const here = [x(now), y(inspected)] as const
  const marks = listTimeTicks(begin, end, Math.floor((width - LEFT - RIGHT) / LABEL_WIDTH))
  // The number is to the left of the point, but to the right at the left edge, and below the point there and at the top.
  const isBeside = here[0] > LEFT + 60
  const isBelow = !isBeside || here[1] <= TOP + 26
  return (
    <div ref={frame} className={styles.chart}>
      <svg width={width} height={HEIGHT} viewBox={`0 0 ${width} ${HEIGHT}`} role="img" aria-label={label}>
        <defs>
          <pattern id={id} width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(22)">
            <path d="M0 0V7" className={styles.hatch} />
          </pattern>
          <clipPath id={clip}>
            <rect x={LEFT} y="0" width={Math.max(width - LEFT - RIGHT, 0)} height={floor} />
          </clipPath>
        </defs>
        {listAxisTicks(total).map((tick) => (
          <g key={tick}>
            <path d={`M${LEFT} ${y(tick)}H${width - RIGHT}`} className={styles.grid} />
            <text x={LEFT - 8} y={y(tick) + 4} textAnchor="end" className={styles.axis}>{formatCount(tick)}</text>
          </g>
        ))}
        {marks.map(({ at, isDate }) => (
          <g key={at}>
            {at > begin && <path d={`M${x(at)} ${TOP}V${floor}`} className={styles.mark} />}
            <text x={x(at)} y={HEIGHT - 8} textAnchor={x(at) > width - RIGHT - 30 ? 'end' : x(at) < LEFT + 20 ? 'start' : 'middle'} className={styles.axis}>{isDate ? formats.shortDay(at) : formats.time(at)}</text>
          </g>
        ))}
        <g clipPath={`url(#${clip})`}>
          <path d={`${path}V${floor}H${x(points[0]?.at ?? now)}Z`} className={styles.area} />
          {finish && <path d={`M${here.join(' ')}L${x(finish.earliest)} ${y(total)}H${Math.max(x(finish.latest), x(finish.earliest) + 3)}Z`} fill={`url(#${id})`} className={styles.band} />}
          {finish && <path d={[finish.earliest, finish.latest].map((at) => `M${here.join(' ')}L${x(at)} ${y(total)}`).join('')} className={styles.edges} />}
          {needed.length > 0 && <path d={drawLine(needed)} className={styles.needed} />}
          <path d={path} className={styles.line} />
        </g>
        {need && needed.length > 0 && <NeedLabel line={needed} right={width - RIGHT} text={t('chart.neededFor', { when: formats.shortDay(need.dueAt) })} />}
        <circle cx={here[0]} cy={here[1]} r="5" className={styles.now} />
        <text x={here[0] + (isBeside ? -9 : 9)} y={Math.min(here[1] + (isBelow ? 20 : -8), floor - 4)} textAnchor={isBeside ? 'end' : 'start'} className={styles.value}>{formatCount(inspected)}</text>
      </svg>
    </div>
  )
}

/** Point of a line in the chart, in pixels. */
type Place = readonly [x: number, y: number]

const drawLine = (places: Place[]): string => places.map(([x, y], n) => `${n === 0 ? 'M' : 'L'}${x} ${y}`).join('')

/** Label below the line of the needed progress, between the start of that line and the right edge. The label is left out if it does not fit. */
function NeedLabel({ line, right, text }: { line: Place[]; right: number; text: string }) {
  const [begin, end] = [line[0]?.[0] ?? 0, line.at(-1)?.[0] ?? 0]
  const x = Math.min((begin + Math.min(end, right)) / 2 + 8, right - text.length * LETTER_WIDTH)
  const after = line.findIndex(([at]) => at > x)
  const [from, to] = [line[after - 1], line[after]]
  if (x < begin + 8 || from === undefined || to === undefined) return null
  const share = (x - from[0]) / (to[0] - from[0])
  return <text x={x} y={from[1] + share * (to[1] - from[1]) + 18} className={styles.neededText}>{text}</text>
}
