import { defineFeatureText } from '@/lib/text/defineFeatureText'
import { ConfirmDialog } from './Dialog'

export const { catalogues, useFeatureText } = defineFeatureText(
  {
    'withoutStatus.question': 'Save without a status?',
    'withoutStatus.text': 'O veículo contará como inspecionado, sem status.',
  },
  { 'withoutStatus.text': 'The vehicle will count as inspected, without a status.' },
  { 'withoutStatus.question': 'Salvar sem status?' },
)

/** Confirmation before a vehicle is saved without a status. */
export function ConfirmSaveWithoutStatusDialog({ onYes, onNo }: { onYes: () => void; onNo: () => void }) {
  const t = useFeatureText()
  return (
    <ConfirmDialog kind="primary" question={t('withoutStatus.question')} onYes={onYes} onNo={onNo}>
      <p>{t('withoutStatus.text')}</p>
    </ConfirmDialog>
  )
}
