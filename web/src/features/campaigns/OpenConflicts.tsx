import { useQuery } from '@tanstack/react-query'
import { conflictsQuery } from '@/api/conflicts'
import { link } from '@/lib/route'
import { LinkButton } from '@/ui/Button'
import { useCampaignsText } from './text'

/** The way to what two inspectors said differently; nothing while all is settled. */
export function OpenConflicts({ campaign }: { campaign?: number }) {
  const t = useCampaignsText()
  const open = useQuery({ ...conflictsQuery({ state: 'open', campaign }), retry: false }).data?.meta.total_count ?? 0
  if (open === 0) return null
  return (
    <LinkButton big wide icon="warning" to={link('/conflicts', { campaign })}>
      {t(open === 1 ? 'conflicts.openOne' : 'conflicts.open', { n: open })}
    </LinkButton>
  )
}
