import { Icon } from '@/ui/Icon'
import { useListText } from './listText'
import styles from './ConflictMark.module.css'

/** Sign of a vehicle whose value two people changed at the same time, and of which nobody has chosen one yet. */
export function ConflictMark({ small = false }: { small?: boolean }) {
  const t = useListText()
  return (
    <span className={styles.mark} title={small ? t('list.conflict') : undefined}>
      <Icon name="warning" size={16} />
      <span className={small ? 'sr-only' : undefined}>{t('list.conflict')}</span>
    </span>
  )
}
