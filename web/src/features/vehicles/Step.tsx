import { useId, type ReactNode } from 'react'
import { useText } from '@/lib/text'
import { Icon } from '@/ui/Icon'
import styles from './VehiclePage.module.css'

interface StepProps {
  n: number
  title: string
  done: boolean
  children: ReactNode
}

/** One numbered part of the inspection, which ticks off when it is done. */
export function Step({ n, title, done, children }: StepProps) {
  const t = useText()
  const id = useId()
  return (
    <section className={styles.step} aria-labelledby={id}>
      <h2 id={id} className={styles.heading}>
        <span className={done ? styles.ticked : styles.number}>{done ? <Icon name="check" size={16} /> : n}</span>
        {title}
        {done && <span className="sr-only">{t('vehicle.stepDone')}</span>}
      </h2>
      {children}
    </section>
  )
}
