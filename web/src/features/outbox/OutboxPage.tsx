import { serverReachability, useIsServerReachable } from '@/api/connectivity'
import { countVehicleMismatches, getVehicleMismatchGroupKey, useOutbox, useOutboxState, useStorageProblem, type OutboxEntry } from '@/offline/outbox'
import { Button, LinkButton } from '@/ui/Button'
import { Alert, EmptyState, Page, Skeleton } from '@/ui/Page'
import { showToast } from '@/ui/Toast'
import { UndecryptableSaveList } from './UndecryptableSaveList'
import { PendingSaveCard } from './PendingSaveCard'
import { OwnConflictList } from './OwnConflictList'
import { SentSaveList } from './SentSaveList'
import { OfflineCampaignList } from './OfflineCampaignList'
import { OutboxCardList, OutboxSection } from './OutboxLayout'
import { useOutboxText } from './text'

/** The 'Offline' page: pending saves, sent saves, the person's own conflicts, and campaigns available offline. */
export default function OutboxPage() {
  const t = useOutboxText()
  const { entries, undecryptable, others, canStore } = useOutboxState()
  const problem = useStorageProblem()
  const toSend = entries.filter(({ state }) => state !== 'done')
  return (
    <Page title={t('outbox.title')} narrow>
      {canStore === null && <Skeleton rows={2} label={t('common.loading')} />}
      {problem !== null && <Alert kind="warning">{t(problem === 'outdated' ? 'problem.outdated' : 'outbox.noDisk')}</Alert>}
      {canStore === true && (toSend.length > 0 || undecryptable.length === 0) && <ToSend entries={toSend} />}
      <UndecryptableSaveList positions={undecryptable} />
      {others > 0 && <Alert kind="info">{t('outbox.others', { n: others })}</Alert>}
      <SentSaveList entries={entries.filter(({ state }) => state === 'done')} />
      <OwnConflictList />
      {canStore === true && <OfflineCampaignList />}
    </Page>
  )
}

function ToSend({ entries }: { entries: OutboxEntry[] }) {
  const t = useOutboxText()
  const outbox = useOutbox()
  const isOnline = useIsServerReachable()
  const questions = entries.map(getVehicleMismatchGroupKey)
  const asked = countVehicleMismatches(entries)
  const refused = entries.filter(({ state }, index) => state === 'refused' && questions[index] === null).length
  const hasUnsent = entries.some(({ state }) => state !== 'refused')
  const send = async () => {
    await outbox.flush()
    if (!serverReachability.get()) showToast('info', t('outbox.stillNoSignal'))
  }
  if (entries.length === 0) {
    return (
      <EmptyState icon="check" text={t('outbox.none')}>
        <LinkButton to="/campaign-home">{t('outbox.toCampaigns')}</LinkButton>
      </EmptyState>
    )
  }
  return (
    <OutboxSection title={t('outbox.toSend')}>
      <p className="quiet">{t('outbox.explain')}</p>
      {asked > 0 && <Alert kind="warning">{t('outbox.askedCount', { n: asked })}</Alert>}
      {refused > 0 && <Alert kind="warning">{t('outbox.refusedCount', { n: refused })}</Alert>}
      {hasUnsent && (
        <>
          {!isOnline && <Alert kind="info">{t('outbox.noSignal')}</Alert>}
          <Button kind={isOnline ? 'primary' : 'secondary'} big wide icon="upload" onClick={() => void send()}>
            {t(isOnline ? 'outbox.sendNow' : 'outbox.tryNow')}
          </Button>
        </>
      )}
      <OutboxCardList>
        {entries.map((entry, index) => (
          <PendingSaveCard key={entry.seq} entry={entry} isAsking={questions.indexOf(questions[index] ?? null) === index} />
        ))}
      </OutboxCardList>
    </OutboxSection>
  )
}
