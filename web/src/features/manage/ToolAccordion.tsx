import { useState, type ReactNode } from 'react'
import { Icon, type IconName } from '@/ui/Icon'
import styles from './ToolAccordion.module.css'

/** Tool of the Manage Campaigns page: name, title, purpose, icon and content. */
export interface ManagePageTool {
  name: string
  title: string
  about: string
  icon: IconName
  /** Whether the content is a list with its own frame. The tab adds no second frame around such a list. */
  isList?: boolean
  content: ReactNode
}

interface ToolFoldsProps {
  tools: ManagePageTool[]
  isOpen: (name: string) => boolean
  onToggle: (name: string, open: boolean) => void
}

/** Accordion of the tools on the Manage Campaigns page, one collapsible section per tool. Several sections can be open at the same time. */
export function ToolAccordion({ tools, isOpen, onToggle }: ToolFoldsProps) {
  return tools.map((tool) => <Fold key={tool.name} tool={tool} open={isOpen(tool.name)} onToggle={(open) => onToggle(tool.name, open)} />)
}

/** A section that opens and closes. Fields in a closed section keep their typed values. */
function Fold({ tool: { title, about, icon, content }, open, onToggle }: { tool: ManagePageTool; open: boolean; onToggle: (open: boolean) => void }) {
  const [everOpen, setEverOpen] = useState(open)
  return (
    <details className={styles.fold} open={open} onToggle={(event) => {
      setEverOpen(true)
      onToggle(event.currentTarget.open)
    }}>
      <summary className={styles.summary}>
        <Icon name={icon} size={22} />
        <span className={styles.named}>
          <h2>{title}</h2>
          <span className={styles.about}>{about}</span>
        </span>
        <Icon name="down" size={20} />
      </summary>
      {(everOpen || open) && <div className={styles.inside}>{content}</div>}
    </details>
  )
}
