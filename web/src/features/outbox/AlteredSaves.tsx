import { removeSave } from '@/offline/outbox'
import { Button } from '@/ui/Button'
import { showToast } from '@/ui/Toast'
import { useOutboxText } from './text'
import styles from './OutboxPage.module.css'

/** Pending saves whose stored data was tampered with on this device. Their content can no longer be decrypted. */
export function AlteredSaves({ places }: { places: number[] }) {
  const t = useOutboxText()
  if (places.length === 0) return null
  const discard = (place: number) => void removeSave(place).then(() => showToast('info', t('outbox.removed')))
  return (
    <section className={styles.part} aria-label={t('outbox.altered')}>
      <h2>{t('outbox.altered')}</h2>
      <ul className={styles.entries}>
        {places.map((place) => (
          <li key={String(place)} className={styles.entry} data-state="refused">
            <p className={styles.reason}>{t('outbox.alteredText')}</p>
            <p className="quiet">{t('outbox.alteredAdvice')}</p>
            <div className={styles.answers}>
              <Button kind="quiet" icon="trash" onClick={() => discard(place)}>
                {t('outbox.remove')}
              </Button>
            </div>
          </li>
        ))}
      </ul>
    </section>
  )
}
