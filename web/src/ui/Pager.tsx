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

/** Number of page links that fit on a phone between the two arrows. */
const MAX_ON_PHONE = 5

/**
 * Page links: first, last, and two on each side of the current page, or one on each side on a phone. If `page` is beyond the last page, calls `onPage` with the last page.
 */
export function Pager({ label, page, pages, onPage }: PagerProps) {
  const t = useText()
  const isBeyond = page > pages
  useEffect(() => {
    if (isBeyond) onPage(pages)
  }, [isBeyond, onPage, pages])
  if (pages <= 1) return null
  const shownPages = listPageNumbers(page, pages)
  const isLong = shownPages.filter((shown) => shown !== 'gap').length > MAX_ON_PHONE
  const isFar = (shown: number) => isLong && Math.abs(shown - page) > 1 && shown !== 1 && shown !== pages
  return (
    <nav className={styles.pager} aria-label={label ?? t('pager.label')}>
      <button type="button" className={`${styles.page} ${styles.arrow}`} disabled={page <= 1} onClick={() => onPage(page - 1)} aria-label={t('pager.previous')}>
        <Icon name="back" size={18} />
      </button>
      {shownPages.map((shown, index) =>
        shown === 'gap' ? (
          <span key={index === 1 ? 'before' : 'after'} className={styles.gap}>
            …
          </span>
        ) : (
          <button key={shown} type="button" className={styles.page} data-far={isFar(shown) || undefined} aria-label={t('pager.page', { n: shown })} aria-current={shown === page ? 'page' : undefined} onClick={() => onPage(shown)}>
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
