import { useEffect } from 'react'
import { listPageNumbers } from '@/lib/pagination'
import { useText } from '@/lib/text'
import { Icon } from './Icon'
import styles from './Pager.module.css'

interface PagerProps {
  /** Accessible name, needed where a screen has several pagers. */
  label?: string
  page: number
  pages: number
  onPage: (page: number) => void
}

/**
 * Page links: first, last, and two on each side of the current page. If `page` is beyond the last page, calls `onPage` with the last page.
 */
export function Pager({ label, page, pages, onPage }: PagerProps) {
  const t = useText()
  const isBeyond = page > pages
  useEffect(() => {
    if (isBeyond) onPage(pages)
  }, [isBeyond, onPage, pages])
  if (pages <= 1) return null
  return (
    <nav className={styles.pager} aria-label={label ?? t('pager.label')}>
      <button type="button" className={`${styles.page} ${styles.arrow}`} disabled={page <= 1} onClick={() => onPage(page - 1)} aria-label={t('pager.previous')}>
        <Icon name="back" size={18} />
      </button>
      {listPageNumbers(page, pages).map((shown, index) =>
        shown === 'gap' ? (
          <span key={index === 1 ? 'before' : 'after'} className={styles.gap}>
            …
          </span>
        ) : (
          <button key={shown} type="button" className={styles.page} aria-label={t('pager.page', { n: shown })} aria-current={shown === page ? 'page' : undefined} onClick={() => onPage(shown)}>
            {shown}
          </button>
        ),
      )}
      <button type="button" className={`${styles.page} ${styles.arrow}`} disabled={page >= pages} onClick={() => onPage(page + 1)} aria-label={t('pager.next')}>
        <Icon name="right" size={18} />
      </button>
    </nav>
  )
}
