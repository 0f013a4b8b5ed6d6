import type { ReactNode } from 'react'
import { Page } from '@/ui/Page'
import styles from './Policy.module.css'

interface PolicyProps {
  title: string
  /** The day from which this version holds, in words. */
  since: string
  /** What it comes to, for those who read no further. */
  summary: ReactNode
  children: ReactNode
}

/** A legal text, in Portuguese whatever language the product speaks. */
export function Policy({ title, since, summary, children }: PolicyProps) {
  return (
    <Page title={title} narrow>
      <article className={styles.policy} lang="pt-BR">
        <p className="quiet">Em vigor desde {since}.</p>
        <div className={styles.summary}>{summary}</div>
        {children}
      </article>
    </Page>
  )
}

/** One numbered part of a legal text. */
export function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className={styles.part}>
      <h2>{title}</h2>
      {children}
    </section>
  )
}
