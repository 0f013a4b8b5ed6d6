import { useQuery } from '@tanstack/react-query'
import { Alert, Spinner } from '@/ui/Page'
import { pendingSavesOnDevicesQuery } from './api'
import { useCampaignsText } from './text'
import { useTimeAgoFormatter } from './useTimeAgoFormatter'

/** Warning, shown before a campaign is closed, that devices have stored inspections of the campaign that are not sent yet. */
export function PendingSavesOnDevicesWarning({ campaign }: { campaign: number }) {
  const t = useCampaignsText()
  const ageOf = useTimeAgoFormatter()
  const { data, isPending } = useQuery({ ...pendingSavesOnDevicesQuery(campaign), staleTime: 0 })
  if (isPending) return <Spinner />
  if (data === undefined || data.saves === 0) return null
  return (
    <Alert kind="warning">
      <p>{t('held.warning', { n: data.saves })}</p>
      <ul>
        {data.held.map(({ hmc, device, saves, oldest_at }) => (
          <li key={`${hmc ?? ''} ${device}`}>
            <span className="mono">{hmc ?? '?'}</span>: {t('held.line', { n: saves, age: ageOf(Date.parse(oldest_at)) })}
          </li>
        ))}
      </ul>
    </Alert>
  )
}
