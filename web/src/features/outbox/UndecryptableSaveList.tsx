import { deleteOutboxEntry } from '@/offline/outbox'
import { Button } from '@/ui/Button'
import { showToast } from '@/ui/Toast'
import { OutboxCardActions, OutboxCardList, OutboxCardErrorText, OutboxCard, OutboxSection } from './OutboxLayout'
import { useOutboxText } from './text'

/** Pending saves that cannot be decrypted, because their stored data was changed on this device. The person can only discard them. */
export function UndecryptableSaveList({ positions }: { positions: number[] }) {
  const t = useOutboxText()
  if (positions.length === 0) return null
  const discard = (position: number) => void deleteOutboxEntry(position).then(() => showToast('info', t('outbox.removed')))
  return (
    <OutboxSection title={t('outbox.altered')}>
      <OutboxCardList>
        {positions.map((position) => (
          <OutboxCard key={String(position)} isRefused>
            <OutboxCardErrorText>{t('outbox.alteredText')}</OutboxCardErrorText>
            <p className="quiet">{t('outbox.alteredAdvice')}</p>
            <OutboxCardActions>
              <Button kind="quiet" icon="trash" onClick={() => discard(position)}>
                {t('outbox.remove')}
              </Button>
            </OutboxCardActions>
          </OutboxCard>
        ))}
      </OutboxCardList>
    </OutboxSection>
  )
}
