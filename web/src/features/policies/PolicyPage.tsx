import type { ReactNode } from 'react'
import { useLanguage } from '@/lib/text'
import { Page } from '@/ui/Page'
import styles from './PolicyPage.module.css'

interface PolicyProps {
  title: string
  /** Effective date of this version of the legal text, in words. */
  since: string
  /** Short summary of the legal text, shown above the full text. */
  summary: ReactNode
  children: ReactNode
}

/** Page with one legal text, such as the privacy policy. The text is always in Portuguese, whatever the display language. */
export function PolicyPage({ title, since, summary, children }: PolicyProps) {
  const isEnglish = useLanguage() === 'en'
  return (
    <Page title={title} narrow>
      {/* Only readers of English need the note. */ isEnglish && <p className="quiet">This text is available in Portuguese only.</p>}
      <article className={styles.policy} lang="pt-BR">
        <p className="quiet">Em vigor desde {since}.</p>
        <div className={styles.summary}>{summary}</div>
        {children}
      </article>
    </Page>
  )
}

/** One numbered section of a legal text. */
export function PolicySection({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className={styles.part}>
      <h2>{title}</h2>
      {children}
    </section>
  )
}
