import { Icon } from '@/ui/Icon'
import { useVehicleListText } from './listText'
import styles from './ConflictMark.module.css'

/** Warning icon of a vehicle with an open conflict: two people changed the same value, and the value to keep has not been chosen yet. */
export function ConflictMark({ small = false }: { small?: boolean }) {
  const t = useVehicleListText()
  return (
    <span className={styles.mark} title={small ? t('list.conflict') : undefined}>
      <Icon name="warning" size={16} />
      <span className={small ? 'sr-only' : undefined}>{t('list.conflict')}</span>
    </span>
  )
}
