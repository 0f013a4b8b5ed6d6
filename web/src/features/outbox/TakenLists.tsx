import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { wordsFor } from '@/api/problem'
import { refresh, removeList, useTaken, type Taken } from '@/api/taken'
import { ago, useNow } from '@/lib/ago'
import { Link } from '@/lib/route'
import { useLanguage } from '@/lib/text'
import { count, megabytes } from '@/lib/time'
import { Button } from '@/ui/Button'
import { Confirm } from '@/ui/Dialog'
import { Note } from '@/ui/Page'
import { useOutboxText } from './text'
import styles from './OutboxPage.module.css'

/** The lists that were taken along. */
export function TakenLists() {
  const t = useOutboxText()
  const lists = useTaken()
  return (
    <section className={styles.part} aria-label={t('taken.title')}>
      <h2>{t('taken.title')}</h2>
      {lists.length === 0 && <p className="quiet">{t('taken.none')}</p>}
      <ul className={styles.entries}>
        {lists.map((taken) => (
          <TakenList key={taken.campaign} taken={taken} />
        ))}
      </ul>
    </section>
  )
}

function TakenList({ taken }: { taken: Taken }) {
  const t = useOutboxText()
  const now = useNow()
  const language = useLanguage()
  const queries = useQueryClient()
  const [leaving, setLeaving] = useState(false)
  const update = useMutation({ mutationFn: () => refresh(queries, taken.campaign) })
  const { head: { name }, vehicles, bytes, fresh_at, yards } = taken
  return (
    <li className={styles.entry}>
      <Link href={`/campaign/${taken.campaign}`} className={styles.name}>
        {name}
      </Link>
      <p>{t(yards === null ? 'taken.vehicles' : 'taken.someYards', { n: count(vehicles), size: megabytes(bytes) })}</p>
      <p className="quiet">{t('taken.fresh', { age: ago(fresh_at, now, language) })}</p>
      {update.isError && <Note kind="error">{wordsFor(update.error, t)}</Note>}
      <div className={styles.answers}>
        <Button busy={update.isPending} aria-label={t('taken.updateLabel', { name })} onClick={() => update.mutate()}>
          {t('taken.update')}
        </Button>
        <Button kind="quiet" icon="trash" aria-label={t('taken.removeLabel', { name })} onClick={() => setLeaving(true)}>
          {t('taken.remove')}
        </Button>
      </div>
      {leaving && (
        <Confirm question={t('taken.removeQuestion', { name })} onYes={() => void removeList(taken.campaign)} onNo={() => setLeaving(false)}>
          <p>{t('taken.removeText')}</p>
        </Confirm>
      )}
    </li>
  )
}
