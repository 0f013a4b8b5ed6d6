import type { Campaign } from '@/api/types'
import { IconButton, IconFile } from '@/ui/Button'
import { useManageText } from './text'
import styles from './ManagePage.module.css'

/** What is done with the files of one campaign at a time. */
export interface CampaignFiles {
  /** The campaign whose yards are being exported. */
  exporting: number | null
  /** The campaign whose workbook is being converted. */
  converting: number | null
  onExport: (campaign: Campaign) => void
  onConvert: (campaign: Campaign, file: File) => void
}

interface CampaignActionsProps {
  campaign: Campaign
  files: CampaignFiles
  onDelete: (campaign: Campaign) => void
  /** Whether the icons say in a word what they do; where there is room a pointer finds it out. */
  named: boolean
}

export function CampaignActions({ campaign, files, onDelete, named }: CampaignActionsProps) {
  const t = useManageText()
  const { id, name } = campaign
  return (
    <span className={named ? styles.namedActions : styles.iconActions}>
      <IconButton icon="download" label={t('files.exportYards', { name })} text={named ? t('files.export') : undefined} busy={files.exporting === id} disabled={files.exporting !== null} onClick={() => files.onExport(campaign)} />
      <IconFile icon="code" label={t('files.toSql', { name })} text={named ? t('files.sql') : undefined} accept=".xlsx" busy={files.converting === id} disabled={files.converting !== null} onChoose={(file) => files.onConvert(campaign, file)} />
      <IconButton icon="trash" danger label={t('manage.delete', { name })} text={named ? t('manage.deleteShort') : undefined} onClick={() => onDelete(campaign)} />
    </span>
  )
}
