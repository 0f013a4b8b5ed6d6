import { useState } from 'react'
import { wordsFor } from '@/api/problem'
import type { Vehicle } from '@/api/types'
import { Button } from '@/ui/Button'
import { Note } from '@/ui/Page'
import { WithoutStatus } from '@/ui/WithoutStatus'
import { NoDisk } from './NoDisk'
import { useScanText } from './text'
import type { Inspection, Onward } from './useInspection'
import styles from './VehiclePage.module.css'

/** The bar under the thumb: save and go on, save and leave, leave. */
export function SaveBar({ vehicle, inspection }: { vehicle: Vehicle; inspection: Inspection }) {
  const t = useScanText()
  const { entry, identified, busy, saved, closed, error } = inspection
  const [asked, setAsked] = useState<Onward | null>(null)
  const ready = identified && !saved && !closed
  const submit = (onward: Onward) => (entry.status === '' ? setAsked(onward) : inspection.submit(onward))
  const last = (vehicle.next ?? null) === null
  return (
    <div className={styles.bar} data-bottom-bar>
      <NoDisk />
      {error && <Note kind="error">{t('vehicle.notSaved', { why: wordsFor(error, t) })}</Note>}
      {!error && !ready && !saved && !closed && <p className={styles.why}>{t('vehicle.identifyFirst')}</p>}
      {!error && ready && last && <p className={styles.why}>{t('vehicle.noNext')}</p>}
      <div className={styles.options}>
        <Button kind="primary" big disabled={!ready || last} busy={busy} onClick={() => submit('next')}>
          {t('vehicle.saveNext')}
        </Button>
        <Button disabled={!ready || busy} onClick={() => submit('exit')}>
          {t('vehicle.saveExit')}
        </Button>
        <Button kind="quiet" disabled={busy} onClick={inspection.cancel}>
          {t('vehicle.cancel')}
        </Button>
      </div>
      {asked !== null && (
        <WithoutStatus onNo={() => setAsked(null)} onYes={() => {
          setAsked(null)
          inspection.submit(asked)
        }} />
      )}
    </div>
  )
}
