import { Select } from '@/ui/Field'
import { useAllCampaigns } from './api'
import { useManageText } from './text'

/** Select for the campaign in which a bulk tool changes vehicles: one campaign or all campaigns. */
export function CampaignScopeSelect({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const t = useManageText()
  return (
    <Select label={t('bulk.scope')} value={value} onChange={(event) => onChange(event.target.value)}>
      <option value="">{t('bulk.everyCampaign')}</option>
      {useAllCampaigns().data?.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </Select>
  )
}
