import type { ReactNode } from 'react'
import { useManageText } from './text'
import styles from './PreviewBox.module.css'

/** Dashed box with the preview of a change, under the heading 'Preview'. */
export function PreviewBox({ children }: { children: ReactNode }) {
  const t = useManageText()
  return (
    <div className={styles.preview}>
      <h3>{t('bulk.preview')}</h3>
      {children}
    </div>
  )
}

/** One-sentence summary of a preview, which screen readers announce when it changes. */
export const PreviewSummary = ({ children }: { children: ReactNode }) => <p className={styles.sentence} role="status">{children}</p>
