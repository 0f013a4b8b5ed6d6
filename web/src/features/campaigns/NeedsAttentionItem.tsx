import type { ReactNode } from 'react'
import { Link } from '@/lib/route'
import { Icon, type IconName } from '@/ui/Icon'
import styles from './NeedsAttentionItem.module.css'

interface NeedsAttentionItemProps {
  icon: IconName
  text: string
  /** Second line, such as the age of the problem. */
  detail?: ReactNode
  /** URL of the page where a person can act, or the anchor of a part of this page. */
  to: string
  /** Whether the row is marked as urgent. */
  isUrgent?: boolean
}

/** Row of the attention card: a problem, with a link to the page where a person can act on it. */
export function NeedsAttentionItem({ icon, text, detail, to, isUrgent = false }: NeedsAttentionItemProps) {
  const Item = to.startsWith('#') ? 'a' : Link
  return (
    <Item href={to} className={`${styles.item} ${isUrgent ? styles.urgent : ''}`}>
      <Icon name={icon} size={22} />
      <span className={styles.words}>
        <span>{text}</span>
        {detail && <span className={styles.detail}>{detail}</span>}
      </span>
      <Icon name="right" size={20} />
    </Item>
  )
}
