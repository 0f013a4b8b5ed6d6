import type { CampaignEvent } from '@/api/types'
import { formatCount } from '@/lib/format'
import { useCampaignsText } from '../text'
import { useCampaignHistoryText } from './text'

/** Returns the translated labels of a campaign's fields, keyed by the field names of the API. */
export function useCampaignFieldLabels(): Record<string, string> {
  const [t, campaign] = [useCampaignHistoryText(), useCampaignsText()]
  return {
    name: t('history.name'),
    image: t('history.image'),
    status: t('history.status'),
    part: campaign('campaign.part'),
    description: campaign('campaign.description'),
    model_type: campaign('campaign.modelType'),
    due_at: campaign('due.title'),
  }
}

/** Returns the title of an import or a bulk change. Returns `null` for any other event, whose changed fields say what happened. */
export function useCampaignEventTitle({ imported, bulk }: CampaignEvent): string | null {
  const t = useCampaignHistoryText()
  if (typeof imported === 'number') return t('history.import', { n: formatCount(imported) })
  if (!bulk) return null
  const { kind, detail } = bulk
  const n = formatCount(bulk.vehicles)
  if (kind === 'space') return t('history.moved', { n })
  if (kind === 'file') return t('history.file', { n, file: detail === '' ? t('history.csv') : detail })
  if (kind === 'undo') return t('history.undone', { n })
  return detail === '' ? t('history.statusRemoved', { n }) : t('history.statusSet', { n, status: detail })
}
