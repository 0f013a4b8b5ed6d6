import { useState } from 'react'
import { useStore } from '@/lib/store'
import { useText } from '@/lib/text'
import { Button } from '@/ui/Button'
import { Alert } from '@/ui/Page'
import { activateServiceWorkerUpdate, waitingServiceWorker } from './serviceWorker'
import styles from './UpdatePrompt.module.css'

/**
 * Notice with a button that updates the app to a newer version. The update never starts without a tap, because the person may be
 * typing.
 */
export function UpdatePrompt() {
  const t = useText()
  const fresh = useStore(waitingServiceWorker)
  const [later, setLater] = useState<ServiceWorker | null>(null)
  const [taken, setTaken] = useState<ServiceWorker | null>(null)
  if (fresh === null || fresh === later) return null
  const take = () => {
    setTaken(fresh)
    activateServiceWorkerUpdate()
  }
  return (
    <div className={styles.update}>
      <Alert kind="info">
        <p>{t('update.ready')}</p>
        <div className={styles.answers}>
          <Button kind="primary" busy={fresh === taken} onClick={take}>
            {t('update.reload')}
          </Button>
          <Button onClick={() => setLater(fresh)}>{t('update.later')}</Button>
        </div>
      </Alert>
    </div>
  )
}
