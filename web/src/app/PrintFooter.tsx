import { useEffect, useState } from 'react'
import { useLocation, useSearch } from 'wouter'
import type { SessionUser } from '@/api/session'
import { formatDate, formatTime } from '@/lib/format'
import styles from './PrintFooter.module.css'

/** Footer of a printed page: login name (HMC) of the user who prints the page, time of printing, and URL of the page. */
export function PrintFooter({ user }: { user: SessionUser }) {
  const [path] = useLocation()
  const query = useSearch()
  const [at, setAt] = useState(() => new Date())
  useEffect(() => {
    const print = () => setAt(new Date())
    window.addEventListener('beforeprint', print)
    return () => window.removeEventListener('beforeprint', print)
  }, [])
  return (
    <footer className={styles.footer}>
      <p>
        HMC {user.hmc} · {formatDate(at)} {formatTime(at)} (UTC-3)
      </p>
      <p>{new URL(query === '' ? path : `${path}?${query}`, window.location.origin).href}</p>
    </footer>
  )
}
