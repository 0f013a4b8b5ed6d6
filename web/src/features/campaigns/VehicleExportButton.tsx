import { getErrorMessage } from '@/api/apiProblem'
import { useSession } from '@/api/session'
import type { Campaign } from '@/api/types'
import { mayManageCampaigns } from '@/lib/roles'
import { Button } from '@/ui/Button'
import { Alert } from '@/ui/Page'
import { useDownloadVehicleReport } from './api'
import { useCampaignsText } from './text'

/** Button of team leaders and supervisors that downloads the vehicles of a campaign as a workbook. */
export function VehicleExportButton({ campaign }: { campaign: Campaign }) {
  const t = useCampaignsText()
  const user = useSession()?.user
  const report = useDownloadVehicleReport()
  if (user === undefined || !mayManageCampaigns(user.user_type)) return null
  return (
    <>
      <Button icon="download" busy={report.isPending} onClick={() => report.mutate(campaign)}>
        {t('export.vehicles')}
      </Button>
      {report.isError && <Alert kind="error">{getErrorMessage(report.error, t)}</Alert>}
    </>
  )
}
