import { wordsFor } from '@/api/problem'
import type { Vehicle } from '@/api/types'
import { useText } from '@/lib/text'
import { Button } from '@/ui/Button'
import { Note } from '@/ui/Page'
import { NoDisk } from './NoDisk'
import type { Inspection } from './useInspection'
import styles from './VehiclePage.module.css'

/** The bar under the thumb: save and go on, save and leave, leave. */
export function SaveBar({ vehicle, inspection }: { vehicle: Vehicle; inspection: Inspection }) {
  const t = useText()
  const { identified, busy, saved, error } = inspection
  const ready = identified && !saved
  const last = (vehicle.next ?? null) === null
  return (
    <div className={styles.bar} data-bottom-bar>
      <NoDisk />
      {error && <Note kind="error">{t('vehicle.notSaved', { why: wordsFor(error, t) })}</Note>}
      {!error && !ready && !saved && <p className={styles.why}>{t('vehicle.identifyFirst')}</p>}
      {!error && ready && last && <p className={styles.why}>{t('vehicle.noNext')}</p>}
      <div className={styles.options}>
        <Button kind="primary" big disabled={!ready || last} busy={busy} onClick={() => inspection.submit('next')}>
          {t('vehicle.saveNext')}
        </Button>
        <Button disabled={!ready || busy} onClick={() => inspection.submit('exit')}>
          {t('vehicle.saveExit')}
        </Button>
        <Button kind="quiet" disabled={busy} onClick={inspection.cancel}>
          {t('vehicle.cancel')}
        </Button>
      </div>
    </div>
  )
}
