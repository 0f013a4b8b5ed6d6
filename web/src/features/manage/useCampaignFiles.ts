import { useState } from 'react'
import { Problem, wordsFor } from '@/api/problem'
import { inWords } from '@/lib/inWords'
import type { Campaign } from '@/api/types'
import { complaintAbout } from '@/lib/files'
import { toast } from '@/ui/Toast'
import { useSqlScript, useYardsExport } from './api'
import type { CampaignFiles } from './CampaignActions'
import { useManageText } from './text'

/** Exports and conversions of the listed campaigns, and what went wrong with the last. */
export function useCampaignFiles(): { files: CampaignFiles; failure: string | null } {
  const t = useManageText()
  const [failure, setFailure] = useState<string | null>(null)
  const yards = useYardsExport()
  const sql = useSqlScript()

  const fail = ({ name }: Campaign, why: string) => {
    toast('error', why)
    setFailure(`${name}: ${why}`)
  }
  const onExport = (campaign: Campaign) => {
    setFailure(null)
    yards.mutate(campaign, { onError: (error) => fail(campaign, wordsFor(error, t)) })
  }
  const onConvert = (campaign: Campaign, file: File) => {
    setFailure(null)
    const wrong = complaintAbout(file)
    if (wrong !== null) return fail(campaign, t(wrong))
    sql.mutate({ campaign, file }, {
      onSuccess: () => toast('success', t('files.converted', { name: campaign.name })),
      onError: (error) => fail(campaign, (error instanceof Problem && inWords(error.message)) || t('files.sqlFailed')),
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
