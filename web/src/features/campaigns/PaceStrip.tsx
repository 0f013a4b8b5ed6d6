import type { Pace } from '@/api/types'
import { ago, useNow } from '@/lib/ago'
import { useLanguage } from '@/lib/text'
import { count, timeOf, dateOf } from '@/lib/time'
import { useCampaignsText } from './text'
import styles from './PaceStrip.module.css'

interface PaceStripProps {
  paces: Pace[]
  /** The names of the campaigns, where more than one is shown. */
  nameOf?: (campaign: number) => string
}

/** Who works where and how fast, and when all will be done; nothing while nobody works. */
export function PaceStrip({ paces, nameOf }: PaceStripProps) {
  const t = useCampaignsText()
  const now = useNow()
  const language = useLanguage()
  const going = paces.filter(({ people }) => people.length > 0)
  if (going.length === 0) return null
  return (
    <section className={styles.strip} aria-label={t('pace.title')}>
      <h2>{t('pace.title')}</h2>
      {going.map((pace) => (
        <div key={pace.campaign_id} className={styles.pace}>
          {nameOf && <strong className="ellipsis">{nameOf(pace.campaign_id)}</strong>}
          <p>
            <strong>{t('pace.perHour', { n: count(Math.round(pace.per_hour)) })}</strong> {pace.finish_at && <span>{t('pace.finish', { when: moment(pace.finish_at, now) })}</span>}
          </p>
          <ul className={styles.people}>
            {pace.people.map(({ hmc, yard_id, yard_name, last_at, per_hour }) => (
              <li key={`${hmc} ${yard_id ?? 0}`}>
                <span className="mono ellipsis" title={hmc}>
                  {hmc}
                </span>{' '}
                <span>{yard_name ? t('yard.named', { name: yard_name }) : ''}</span>
                <span className="quiet">
                  {t('pace.person', { n: count(Math.round(per_hour)), age: ago(Date.parse(last_at), now, language) })}
                </span>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </section>
  )
}

/** The hour, with the day when it is not today. */
function moment(at: string, now: number): string {
  const [day, hour] = [dateOf(at), timeOf(at).slice(0, 5)]
  return day === dateOf(new Date(now)) ? hour : `${day.slice(0, 5)} ${hour}`
}
