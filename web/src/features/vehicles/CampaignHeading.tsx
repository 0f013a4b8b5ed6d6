import { useState } from 'react'
import { Icon } from '@/ui/Icon'
import { useIsTruncated } from './useIsTruncated'
import styles from './CampaignHeading.module.css'

interface CampaignHeadingProps {
  name: string
  /** Problem of the campaign: part and description. */
  problem: string
}

/**
 * Name and problem of the campaign, in at most two lines each, or in one line in low windows. If a text is cut off, the problem is a button
 * that shows all lines.
 */
export function CampaignHeading({ name, problem }: CampaignHeadingProps) {
  const [watchName, isNameCut] = useIsTruncated(name)
  const [watchProblem, isProblemCut] = useIsTruncated(problem)
  const [isOpen, setIsOpen] = useState(false)
  const text = <span ref={watchProblem}>{problem}</span>
  return (
    <div className={styles.texts} data-open={isOpen || undefined}>
      <p ref={watchName} className={styles.name} title={name}>{name}</p>
      {isNameCut || isProblemCut || isOpen ? (
        <button type="button" className={`${styles.problem} quiet`} aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)} data-print>
          {text}
          <Icon name="down" size={18} />
        </button>
      ) : <p className={`${styles.problem} quiet`}>{text}</p>}
    </div>
  )
}
