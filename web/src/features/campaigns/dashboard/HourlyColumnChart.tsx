import { formatCount } from '@/lib/format'
import type { HourlyActivity } from './forecast'
import type { DateFormatters } from './dateFormatters'
import { createLinearScale } from './chartScale'
import { useElementWidth } from './useElementWidth'
import { getStartOfDay, getHourOfDay, HOUR_MS, type WorkingHours } from './workingHours'
import styles from './HourlyColumnChart.module.css'

const [HEIGHT, TOP, BOTTOM] = [132, 22, 22]

interface HourColumnsProps {
  worked: HourlyActivity[]
  hours: WorkingHours
  /** Any time within the shown day, in milliseconds since 1970. */
  day: number
  now: number
  label: string
  formats: DateFormatters
}

/** Column chart of the vehicles inspected in each hour of one day. The column of the current hour is pale with an outline, because the hour is not over. */
export function HourlyColumnChart({ worked, hours, day, now, label, formats }: HourColumnsProps) {
  const [frame, width] = useElementWidth(320)
  const begin = getStartOfDay(day)
  const counts = new Map(worked.filter(({ at }) => getStartOfDay(at) === begin).map(({ at, inspected }) => [getHourOfDay(at), Math.max(inspected, 0)]))
  const shown = [...counts.keys()]
  const [first, end] = [Math.min(hours.first, ...shown), Math.max(hours.end, ...shown.map((hour) => hour + 1))]
  const step = width / (end - first)
  const y = createLinearScale(0, Math.max(...counts.values(), 1), HEIGHT - BOTTOM, TOP)
  const each = Math.ceil(26 / step)
  return (
    <div ref={frame} className={styles.chart}>
      <svg width={width} height={HEIGHT} viewBox={`0 0 ${width} ${HEIGHT}`} role="img" aria-label={label}>
        {Array.from({ length: end - first }, (_, n) => {
          const [hour, at] = [first + n, begin + (first + n) * HOUR_MS]
          const count = counts.get(hour) ?? 0
          const middle = (n + 0.5) * step
          return (
            <g key={hour}>
              <rect x={n * step + 2} y={count > 0 ? y(count) : HEIGHT - BOTTOM - 2} width={Math.max(step - 4, 1)} height={count > 0 ? HEIGHT - BOTTOM - y(count) : 2} rx="2"
                className={count === 0 ? styles.noColumn : now < at + HOUR_MS ? styles.columnNow : styles.column} />
              {count > 0 && <text x={middle} y={y(count) - 6} textAnchor="middle" className={styles.count}>{formatCount(count)}</text>}
              {n % each === 0 && <text x={middle} y={HEIGHT - 6} textAnchor="middle" className={styles.axis}>{formats.time(at).slice(0, 2)}</text>}
            </g>
          )
        })}
      </svg>
    </div>
  )
}
