import { useSession } from '@/api/session'
import type { InspectionPace } from '@/api/types'
import { formatCount } from '@/lib/format'
import { useOwnActivityToday } from './api'
import { sumInspectionsPerHour } from './inspectionsPerHour'
import { useCampaignsText } from './text'
import styles from './OwnKeyFigures.module.css'

const NONE = '–'

/** The signed-in person's own work: vehicles inspected today, vehicles per hour now, and vehicles with a defect today. */
export function OwnKeyFigures({ paces }: { paces: InspectionPace[] }) {
  const t = useCampaignsText()
  const hmc = useSession()?.user.hmc
  const activity = useOwnActivityToday().data
  const own = activity?.people.find((person) => person.hmc === hmc)
  const perHour = sumInspectionsPerHour(paces.flatMap(({ people }) => people).filter((person) => person.hmc === hmc))
  const ofToday = (n: number | undefined) => (activity === undefined ? NONE : formatCount(n ?? 0))
  const figures = [
    { name: t('own.today'), value: ofToday(own?.inspected) },
    { name: t('own.perHour'), value: perHour > 0 ? formatCount(Math.round(perHour)) : NONE },
    { name: t('number.wrong'), value: ofToday(own?.found_wrong) },
  ]
  return (
    <section className={styles.own} aria-label={t('own.title')}>
      <dl>
        {figures.map(({ name, value }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
