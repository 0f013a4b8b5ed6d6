import { useQuery } from '@tanstack/react-query'
import { conflictsQuery } from '@/api/conflicts'
import { buildPath } from '@/lib/route'
import { LinkButton } from '@/ui/Button'
import { useCampaignsText } from './text'

/** Link to the open conflicts with their number. Nothing is shown when there are no open conflicts. */
export function OpenConflictsLink({ campaign }: { campaign?: number }) {
  const t = useCampaignsText()
  const open = useQuery({ ...conflictsQuery({ state: 'open', campaign }), retry: false }).data?.meta.total_count ?? 0
  if (open === 0) return null
  return (
    <LinkButton big wide icon="warning" to={buildPath('/conflicts', { campaign })}>
      {t('conflicts.open', { n: open })}
    </LinkButton>
  )
}
