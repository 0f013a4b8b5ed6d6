import { useState, type ReactNode } from 'react'
import { defineFeatureText } from '@/lib/text/feature'
import { Button } from './Button'
import { ConfirmDialog } from './Dialog'
import { showToast } from './Toast'
import styles from './VehicleMismatchQuestion.module.css'

export const { catalogues, useFeatureText } = defineFeatureText(
  {
    'otherCar.title': 'É este o veículo?',
    'otherCar.text': 'Você inspecionou {seen}. O servidor tem {now} no lugar dele.',
    'otherCar.why': 'O VIN foi corrigido, ou é outro veículo.',
    'otherCar.yes': 'Yes, save to {now}',
    'otherCar.discard': 'Discard',
    'otherCar.discardLabel': 'Discard the inspection of {vin}',
    'otherCar.discardQuestion': 'Discard the inspection of {vin}?',
    'otherCar.discardText': 'Ela não será enviada e será perdida.',
    'otherCar.discarded': 'Inspeção descartada.',
    'otherCar.stays': 'Até você responder, a inspeção fica salva neste aparelho.',
    'otherCar.several': '{n} veículos que você inspecionou têm outro VIN no servidor.',
    'otherCar.decide': 'Review',
  },
  {
    'otherCar.title': 'Is this the vehicle?',
    'otherCar.text': 'You inspected {seen}. The server has {now} in its place.',
    'otherCar.why': 'The VIN was corrected, or it is another vehicle.',
    'otherCar.discardText': 'It will not be sent and will be lost.',
    'otherCar.discarded': 'Inspection discarded.',
    'otherCar.stays': 'Until you answer, the inspection stays on this device.',
    'otherCar.several': '{n} vehicles that you inspected have another VIN on the server.',
  },
  {
    'otherCar.yes': 'Sim, salvar em {now}',
    'otherCar.discard': 'Descartar',
    'otherCar.discardLabel': 'Descartar a inspeção de {vin}',
    'otherCar.discardQuestion': 'Descartar a inspeção de {vin}?',
    'otherCar.decide': 'Revisar',
  },
)

interface OtherCarProps {
  /** VIN of the vehicle that the person inspected. */
  seen: string
  /** VIN that the server has under the same vehicle id. */
  now: string
  onYes: () => void
  onDiscard: () => Promise<void>
  children?: ReactNode
}

/**
 * Question for a save whose vehicle id now belongs to another vehicle: does the save belong to that vehicle? The person confirms or
 * discards the save.
 */
export function VehicleMismatchQuestion({ seen, now, onYes, onDiscard, children }: OtherCarProps) {
  const t = useFeatureText()
  return (
    <section className={styles.question} aria-label={t('otherCar.title')}>
      <h3>{t('otherCar.title')}</h3>
      <p>{t('otherCar.text', { seen, now })}</p>
      <p className="quiet">{t('otherCar.why')}</p>
      {children}
      <div className={styles.answers}>
        <Button kind="primary" onClick={onYes}>
          {t('otherCar.yes', { now })}
        </Button>
        <DiscardSaveButton vin={seen} onDiscard={onDiscard} />
      </div>
    </section>
  )
}

/** Button that discards a pending save after a confirmation. */
export function DiscardSaveButton({ vin, onDiscard }: { vin: string; onDiscard: () => Promise<void> }) {
  const t = useFeatureText()
  const [asked, setAsked] = useState(false)
  const discard = () => void onDiscard().then(() => showToast('info', t('otherCar.discarded')))
  return (
    <>
      <Button kind="quiet" icon="trash" aria-label={t('otherCar.discardLabel', { vin })} onClick={() => setAsked(true)}>
        {t('otherCar.discard')}
      </Button>
      {asked && (
        <ConfirmDialog question={t('otherCar.discardQuestion', { vin })} onYes={discard} onNo={() => setAsked(false)}>
          <p>{t('otherCar.discardText')}</p>
        </ConfirmDialog>
      )}
    </>
  )
}
