import type { Campaign } from '@/api/types'
import { useMediaQuery } from '@/lib/useMediaQuery'
import { ActionMenu } from '@/ui/ActionMenu'
import { IconButton, FilePickerButton } from '@/ui/Button'
import { useManagePageText } from './pageText'
import styles from './CampaignActionButtons.module.css'

/** State and callbacks of two file actions for campaigns: export as a workbook, and conversion of a workbook to SQL. */
export interface CampaignFileActions {
  /** Id of the campaign being exported as a workbook; `null` while no export runs. */
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
 * Buttons for one campaign: export, conversion of a workbook to SQL, and deletion. The table shows each action as an icon with a tooltip.
 * On wide screens, the icons for export and conversion also show the file type (XLSX or SQL). A card shows the export as a button with
 * text, and the other actions in a menu.
 */
export function CampaignActionButtons({ campaign, files, onDelete }: CampaignActionsProps) {
  const t = useManagePageText()
  const isTable = useMediaQuery('(min-width: 900px)')
  const isWide = useMediaQuery('(min-width: 1280px)')
  const { id, name } = campaign
  const yards = { icon: 'download', label: t('files.exportYards', { name }), busy: files.exporting === id, disabled: files.exporting !== null, onClick: () => files.onExport(campaign) } as const
  const sql = { icon: 'code', label: t('files.toSql', { name }), accept: '.xlsx', disabled: files.converting !== null } as const
  const remove = { icon: 'trash', danger: true, label: t('manage.delete', { name }) } as const
  const isConverting = files.converting === id
  const convert = (file: File) => files.onConvert(campaign, file)
  if (isTable) {
    return (
      <span className={styles.rowActions}>
        <IconButton {...yards} {...(isWide && { text: 'XLSX' })} />
        <FilePickerButton {...sql} {...(isWide && { text: 'SQL' })} busy={isConverting} onChoose={convert} />
        <IconButton {...remove} onClick={() => onDelete(campaign)} />
      </span>
    )
  }
  return (
    <span className={styles.rowActions}>
      <IconButton {...yards} text={t('files.export')} />
      <ActionMenu label={t('manage.moreActions', { name })} busy={isConverting} actions={[
        { ...sql, text: t('files.sql'), onFile: convert },
        { ...remove, text: t('manage.deleteShort'), onSelect: () => onDelete(campaign) },
      ]} />
    </span>
  )
}
