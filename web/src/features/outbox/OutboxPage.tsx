import { kick, useOutbox, type Entry } from '@/api/outbox'
import { useSignal } from '@/api/signal'
import { Button } from '@/ui/Button'
import { Empty, Note, Page, Skeleton } from '@/ui/Page'
import { EntryCard } from './EntryCard'
import { Outcomes } from './Outcomes'
import { Sent } from './Sent'
import { TakenLists } from './TakenLists'
import { useOutboxText } from './text'
import styles from './OutboxPage.module.css'

/** What this phone holds: saves that wait, and what became of the others. */
export default function OutboxPage() {
  const t = useOutboxText()
  const { entries, others, works } = useOutbox()
  return (
    <Page title={t('outbox.title')} narrow>
      {works === null && <Skeleton rows={2} label={t('common.loading')} />}
      {works === false && <Note kind="warning">{t('outbox.noDisk')}</Note>}
      {works === true && <ToSend entries={entries.filter(({ state }) => state !== 'done')} />}
      {others > 0 && <Note kind="info">{t(others === 1 ? 'outbox.othersOne' : 'outbox.others', { n: others })}</Note>}
      <Sent entries={entries.filter(({ state }) => state === 'done')} />
      <Outcomes />
      {works === true && <TakenLists />}
    </Page>
  )
}

function ToSend({ entries }: { entries: Entry[] }) {
  const t = useOutboxText()
  const signal = useSignal()
  const refused = entries.filter(({ state }) => state === 'refused').length
  if (entries.length === 0) return <Empty icon="check" text={t('outbox.none')} />
  return (
    <section className={styles.part} aria-label={t('outbox.toSend')}>
      <h2>{t('outbox.toSend')}</h2>
      <p className="quiet">{t('outbox.explain')}</p>
      {refused > 0 && <Note kind="warning">{t(refused === 1 ? 'outbox.refusedOne' : 'outbox.refusedMany', { n: refused })}</Note>}
      {refused < entries.length && (
        <>
          {!signal && <Note kind="info">{t('outbox.noSignal')}</Note>}
          <Button kind="primary" big wide icon="upload" onClick={() => void kick()}>
            {t('outbox.sendNow')}
          </Button>
        </>
      )}
      <ul className={styles.entries}>
        {entries.map((entry) => (
          <EntryCard key={entry.seq} entry={entry} />
        ))}
      </ul>
    </section>
  )
}
