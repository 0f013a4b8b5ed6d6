import type { Campaign } from '@/api/types'
import { useMediaQuery } from '@/lib/useMediaQuery'
import { IconButton, IconFileButton } from '@/ui/Button'
import { useManagePageText } from './pageText'
import styles from './CampaignActions.module.css'

/** State and callbacks of two file actions for campaigns: export as a workbook, and conversion of a workbook to SQL. */
export interface CampaignFileActions {
  /** Id of the campaign whose yards are being exported; `null` while no export runs. */
  exporting: number | null
  /** Id of the campaign whose workbook is being converted to SQL; `null` while no conversion runs. */
  converting: number | null
  onExport: (campaign: Campaign) => void
  onConvert: (campaign: Campaign, file: File) => void
}

interface CampaignActionsProps {
  campaign: Campaign
  files: CampaignFileActions
  onDelete: (campaign: Campaign) => void
}

/**
 * Buttons for one campaign: export, conversion of a workbook to SQL, and deletion. In the table, the buttons have only icons with tooltips,
 * because the columns are too narrow for text.
 */
export function CampaignActions({ campaign, files, onDelete }: CampaignActionsProps) {
  const t = useManagePageText()
  const isTable = useMediaQuery('(min-width: 900px)')
  const word = (text: string) => (isTable ? undefined : text)
  const { id, name } = campaign
  return (
    <span className={styles.rowActions}>
      <IconButton icon="download" label={t('files.exportYards', { name })} text={word(t('files.export'))} busy={files.exporting === id} disabled={files.exporting !== null} onClick={() => files.onExport(campaign)} />
      <IconFileButton icon="code" label={t('files.toSql', { name })} text={word(t('files.sql'))} accept=".xlsx" busy={files.converting === id} disabled={files.converting !== null} onChoose={(file) => files.onConvert(campaign, file)} />
      <IconButton icon="trash" danger label={t('manage.delete', { name })} text={word(t('manage.deleteShort'))} onClick={() => onDelete(campaign)} />
    </span>
  )
}
