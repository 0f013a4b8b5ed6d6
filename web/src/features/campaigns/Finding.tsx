import { Link } from '@/lib/route'
import { Icon, type IconName } from '@/ui/Icon'
import styles from './Finding.module.css'

interface FindingProps {
  icon: IconName
  text: string
  /** URL of the page where a person can act on the finding. */
  to: string
  /** Whether the finding is marked as urgent. */
  isUrgent?: boolean
}

/** Row of the attention card: what was found, with a link to the page where a person can act on it. */
export function Finding({ icon, text, to, isUrgent = false }: FindingProps) {
  return (
    <Link href={to} className={`${styles.finding} ${isUrgent ? styles.urgent : ''}`}>
      <Icon name={icon} size={22} />
      <span>{text}</span>
      <Icon name="right" size={20} />
    </Link>
  )
}
