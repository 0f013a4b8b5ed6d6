import { ago, useNow } from '@/lib/ago'
import { useLanguage } from '@/lib/text'
import { Note, Spinner } from '@/ui/Page'
import { useHeldWork } from './api'
import { useCampaignsText } from './text'

/** Warns that phones hold inspections of a campaign that is about to be closed. */
export function HeldByPhones({ campaign }: { campaign: number }) {
  const t = useCampaignsText()
  const now = useNow()
  const language = useLanguage()
  const { data, isPending } = useHeldWork(campaign, true)
  if (isPending) return <Spinner />
  if (data === undefined || data.saves === 0) return null
  return (
    <Note kind="warning">
      <p>{t('held.warning', { n: data.saves, phones: data.devices })}</p>
      <ul>
        {data.held.map(({ hmc, device, saves, oldest_at }) => (
          <li key={`${hmc ?? ''} ${device}`}>
            <span className="mono">{hmc ?? '?'}</span>: {t('held.line', { n: saves, age: ago(Date.parse(oldest_at), now, language) })}
          </li>
        ))}
      </ul>
    </Note>
  )
}
