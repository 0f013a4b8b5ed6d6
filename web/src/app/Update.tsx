import { useState } from 'react'
import { useStore } from '@/lib/store'
import { useText } from '@/lib/text'
import { Button } from '@/ui/Button'
import { Note } from '@/ui/Page'
import { takeUpdate, waiting } from './offline'
import styles from './Frame.module.css'

/** Offers the new version and never takes it by itself: somebody may be typing. */
export function Update() {
  const t = useText()
  const fresh = useStore(waiting)
  const [later, setLater] = useState<ServiceWorker | null>(null)
  const [taken, setTaken] = useState<ServiceWorker | null>(null)
  if (fresh === null || fresh === later) return null
  const take = () => {
    setTaken(fresh)
    takeUpdate()
  }
  return (
    <div className={styles.update}>
      <Note kind="info">
        <p>{t('update.ready')}</p>
        <div className={styles.answers}>
          <Button kind="primary" busy={fresh === taken} onClick={take}>
            {t('update.reload')}
          </Button>
          <Button onClick={() => setLater(fresh)}>{t('update.later')}</Button>
        </div>
      </Note>
    </div>
  )
}
