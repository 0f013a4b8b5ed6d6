import { deleteSave } from '@/offline/outbox'
import { Button } from '@/ui/Button'
import { showToast } from '@/ui/Toast'
import { CardActions, CardList, CardErrorText, OutboxCard, OutboxSection } from './OutboxCard'
import { useOutboxText } from './text'

/** Pending saves whose stored data was changed on this device, so that their content can no longer be decrypted. */
export function UndecryptableSaves({ positions }: { positions: number[] }) {
  const t = useOutboxText()
  if (positions.length === 0) return null
  const discard = (position: number) => void deleteSave(position).then(() => showToast('info', t('outbox.removed')))
  return (
    <OutboxSection title={t('outbox.altered')}>
      <CardList>
        {positions.map((position) => (
          <OutboxCard key={String(position)} isRefused>
            <CardErrorText>{t('outbox.alteredText')}</CardErrorText>
            <p className="quiet">{t('outbox.alteredAdvice')}</p>
            <CardActions>
              <Button kind="quiet" icon="trash" onClick={() => discard(position)}>
                {t('outbox.remove')}
              </Button>
            </CardActions>
          </OutboxCard>
        ))}
      </CardList>
    </OutboxSection>
  )
}
