import { isFull } from '@/api/disk'
import { useOutbox } from '@/api/outbox'
import { wordsFor } from '@/api/problem'
import { useTaken } from '@/api/taken'
import type { Campaign } from '@/api/types'
import { ago, useNow } from '@/lib/ago'
import { useLanguage } from '@/lib/text'
import { count, megabytes } from '@/lib/time'
import { Button, LinkButton } from '@/ui/Button'
import { Note } from '@/ui/Page'
import { toast } from '@/ui/Toast'
import { useTake } from './api'
import { useCampaignsText } from './text'
import styles from './CampaignPage.module.css'

/** Puts the list of a campaign, or of the chosen yard, onto the phone, and says what is there. */
export function TakeAlong({ campaign, yard }: { campaign: Campaign; yard: number | null }) {
  const t = useCampaignsText()
  const { works } = useOutbox()
  const now = useNow()
  const language = useLanguage()
  const taken = useTaken().find((one) => one.campaign === campaign.id)
  const take = useTake()
  if (works === false) return <p className="quiet">{t('take.noDisk')}</p>
  const isHere = taken !== undefined && (taken.yards === null || (yard !== null && taken.yards.includes(yard)))
  const label = isHere ? t('take.again') : yard === null ? t('take.campaign') : t('take.yard', { name: campaign.yard_name ?? yard })
  const start = () => take.mutate({ campaign, yard }, { onSuccess: () => toast('success', t('take.done')) })
  return (
    <section className={styles.take} aria-label={t('take.title')}>
      {taken !== undefined && (
        <p>
          <strong>{t(taken.yards === null ? 'take.here' : 'take.someHere', { n: count(taken.vehicles) })}</strong>{' '}
          <span className="quiet">{t('take.facts', { size: megabytes(taken.bytes), age: ago(taken.fresh_at, now, language) })}</span>
        </p>
      )}
      {take.isPending && <p role="status">{t('take.taking', { n: count(campaign.total_vehicles) })}</p>}
      {take.isError && <Note kind="error">{isFull(take.error) ? t('take.full') : t('take.failed', { why: wordsFor(take.error, t) })}</Note>}
      {take.isSuccess && !take.data && <p className="quiet">{t('take.notPromised')}</p>}
      <div className={styles.ways}>
        <Button big={taken === undefined} wide={taken === undefined} icon="phone" busy={take.isPending} onClick={start}>
          {label}
        </Button>
        {taken !== undefined && <LinkButton to="/outbox">{t('take.manage')}</LinkButton>}
      </div>
    </section>
  )
}
