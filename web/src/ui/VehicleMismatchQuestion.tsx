import { useState, type ReactNode } from 'react'
import { defineFeatureText } from '@/lib/text/defineFeatureText'
import { Button } from './Button'
import { ConfirmDialog } from './Dialog'
import { MonospaceVin } from './MonospaceVin'
import { showToast } from './Toast'
import styles from './VehicleMismatchQuestion.module.css'

export const { catalogues, useFeatureText } = defineFeatureText(
  {
    'vehicleMismatch.title': 'É este o veículo?',
    'vehicleMismatch.text': 'Você inspecionou {seen}. O servidor tem {now} no lugar dele.',
    'vehicleMismatch.why': 'O VIN foi corrigido, ou é outro veículo.',
    'vehicleMismatch.inspected': 'Inspected',
    'vehicleMismatch.server': 'On the server',
    'vehicleMismatch.yes': 'Yes, save to {now}',
    'vehicleMismatch.later': 'Later',
    'vehicleMismatch.discard': 'Discard',
    'vehicleMismatch.discardLabel': 'Discard the inspection of {vin}',
    'vehicleMismatch.discardQuestion': 'Discard the inspection of {vin}?',
    'vehicleMismatch.discardText': 'Ela não será enviada e será perdida.',
    'vehicleMismatch.discarded': 'Inspeção descartada.',
    'vehicleMismatch.stays': 'Até você responder, a inspeção fica salva neste aparelho.',
    'vehicleMismatch.several': '{n} veículos que você inspecionou têm outro VIN no servidor.',
    'vehicleMismatch.decide': 'Review',
  },
  {
    'vehicleMismatch.title': 'Is this the vehicle?',
    'vehicleMismatch.text': 'You inspected {seen}. The server has {now} in its place.',
    'vehicleMismatch.why': 'The VIN was corrected, or it is another vehicle.',
    'vehicleMismatch.discardText': 'It will not be sent and will be lost.',
    'vehicleMismatch.discarded': 'Inspection discarded.',
    'vehicleMismatch.stays': 'Until you answer, the inspection stays on this device.',
    'vehicleMismatch.several': '{n} vehicles that you inspected have another VIN on the server.',
  },
  {
    'vehicleMismatch.inspected': 'Inspecionado',
    'vehicleMismatch.server': 'No servidor',
    'vehicleMismatch.yes': 'Sim, salvar em {now}',
    'vehicleMismatch.later': 'Mais tarde',
    'vehicleMismatch.discard': 'Descartar',
    'vehicleMismatch.discardLabel': 'Descartar a inspeção de {vin}',
    'vehicleMismatch.discardQuestion': 'Descartar a inspeção de {vin}?',
    'vehicleMismatch.decide': 'Revisar',
  },
)

interface VehicleMismatchQuestionProps {
  /** VIN of the vehicle that the person inspected. */
  inspectedVin: string
  /** VIN that the server has under the same vehicle id. */
  serverVin: string
  onYes: () => void
  onDiscard: () => Promise<void>
  /** Leaves the question open; without this callback, no Later button is shown. */
  onLater?: () => void
  children?: ReactNode
}

/**
 * Asks whether a rejected save belongs to the vehicle that the server now has under the same vehicle id. The person confirms the save,
 * discards it, or decides later.
 */
export function VehicleMismatchQuestion({ inspectedVin, serverVin, onYes, onDiscard, onLater, children }: VehicleMismatchQuestionProps) {
  const t = useFeatureText()
  return (
    <section className={styles.question} aria-label={t('vehicleMismatch.title')}>
      <h3>{t('vehicleMismatch.title')}</h3>
      <p>{t('vehicleMismatch.text', { seen: inspectedVin, now: serverVin })}</p>
      <dl className={styles.vins}>
        <dt>{t('vehicleMismatch.inspected')}</dt>
        <dd><MonospaceVin vin={inspectedVin} /></dd>
        <dt>{t('vehicleMismatch.server')}</dt>
        <dd><MonospaceVin vin={serverVin} /></dd>
      </dl>
      <p className="quiet">{t('vehicleMismatch.why')}</p>
      {children}
      <div className={styles.answers}>
        <Button kind="primary" onClick={onYes}>
          {t('vehicleMismatch.yes', { now: serverVin })}
        </Button>
        {onLater && <Button onClick={onLater}>{t('vehicleMismatch.later')}</Button>}
        <DiscardSaveButton vin={inspectedVin} onDiscard={onDiscard} />
      </div>
    </section>
  )
}

/** Button that discards a pending save after a confirmation. */
export function DiscardSaveButton({ vin, onDiscard }: { vin: string; onDiscard: () => Promise<void> }) {
  const t = useFeatureText()
  const [asked, setAsked] = useState(false)
  const discard = () => void onDiscard().then(() => showToast('info', t('vehicleMismatch.discarded')))
  return (
    <>
      <Button data-danger icon="trash" aria-label={t('vehicleMismatch.discardLabel', { vin })} onClick={() => setAsked(true)}>
        {t('vehicleMismatch.discard')}
      </Button>
      {asked && (
        <ConfirmDialog question={t('vehicleMismatch.discardQuestion', { vin })} onYes={discard} onNo={() => setAsked(false)}>
          <p>{t('vehicleMismatch.discardText')}</p>
        </ConfirmDialog>
      )}
    </>
  )
}
