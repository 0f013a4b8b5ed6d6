import { wordsFor } from '@/api/problem'
import { useSession } from '@/api/session'
import type { Campaign } from '@/api/types'
import { mayManage } from '@/lib/roles'
import { Button } from '@/ui/Button'
import { Note } from '@/ui/Page'
import { useVehicleReport } from './api'
import { useCampaignsText } from './text'

/** Saves the campaign's vehicles as a workbook, for team leaders and supervisors. */
export function ExportVehicles({ campaign }: { campaign: Campaign }) {
  const t = useCampaignsText()
  const user = useSession()?.user
  const report = useVehicleReport()
  if (user === undefined || !mayManage(user.user_type)) return null
  return (
    <>
      <Button big wide icon="download" busy={report.isPending} onClick={() => report.mutate(campaign)}>
        {t('export.vehicles')}
      </Button>
      {report.isError && <Note kind="error">{wordsFor(report.error, t)}</Note>}
    </>
  )
}
