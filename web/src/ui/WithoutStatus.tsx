import { featureText } from '@/lib/text/feature'
import { Confirm } from './Dialog'

export const { catalogues, useFeatureText } = featureText(
  {
    'withoutStatus.question': 'Save without a status?',
    'withoutStatus.text': 'O veículo contará como inspecionado, sem status.',
  },
  { 'withoutStatus.text': 'The vehicle will count as inspected, without a status.' },
  { 'withoutStatus.question': 'Salvar sem status?' },
)

/** Asks before a vehicle is saved without a status, which is easily forgotten. */
export function WithoutStatus({ onYes, onNo }: { onYes: () => void; onNo: () => void }) {
  const t = useFeatureText()
  return (
    <Confirm kind="primary" question={t('withoutStatus.question')} onYes={onYes} onNo={onNo}>
      <p>{t('withoutStatus.text')}</p>
    </Confirm>
  )
}
