import { useState } from 'react'
import { getErrorMessage, ApiProblem } from '@/api/apiProblem'
import { translateServerMessage } from '@/lib/translateServerMessage'
import type { Campaign } from '@/api/types'
import { findWorkbookFileError } from '@/lib/workbookFile'
import { showToast } from '@/ui/Toast'
import { useConvertWorkbookToSql, useExportCampaignByYard } from './api'
import type { CampaignFileActions } from './CampaignActionButtons'
import { useManagePageText } from './pageText'

/** Provides export and SQL conversion of the listed campaigns, and the error message of the last failed download. */
export function useCampaignFileActions(): { files: CampaignFileActions; failure: string | null } {
  const t = useManagePageText()
  const [failure, setFailure] = useState<string | null>(null)
  const yards = useExportCampaignByYard()
  const sql = useConvertWorkbookToSql()

  const fail = ({ name }: Campaign, why: string) => {
    showToast('error', why)
    setFailure(`${name}: ${why}`)
  }
  const onExport = (campaign: Campaign) => {
    setFailure(null)
    yards.mutate(campaign, { onError: (error) => fail(campaign, getErrorMessage(error, t)) })
  }
  const onConvert = (campaign: Campaign, file: File) => {
    setFailure(null)
    const wrong = findWorkbookFileError(file)
    if (wrong !== null) return fail(campaign, t(wrong))
    sql.mutate({ campaign, file }, {
      onSuccess: () => showToast('success', t('files.converted', { name: campaign.name })),
      onError: (error) => fail(campaign, (error instanceof ApiProblem && translateServerMessage(error.message)) || t('files.sqlFailed')),
    })
  }
  return {
    files: {
      exporting: yards.isPending ? yards.variables.id : null,
      converting: sql.isPending ? sql.variables.campaign.id : null,
      onExport,
      onConvert,
    },
    failure,
  }
}
