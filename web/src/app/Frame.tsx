import { useEffect, useState, type ReactNode } from 'react'
import { useProductName } from '@/api/product'
import { useAlong } from '@/api/along'
import { held } from '@/api/held'
import { ownerOf, type User } from '@/api/session'
import { useSignal } from '@/api/signal'
import { Link, navigate } from '@/lib/route'
import { roleKey } from '@/lib/roles'
import { useStore } from '@/lib/store'
import { useText } from '@/lib/text'
import { count } from '@/lib/time'
import { Icon } from '@/ui/Icon'
import { ClientMark, Logo } from '@/ui/Logo'
import { Menu } from './Menu'
import { Update } from './Update'
import styles from './Frame.module.css'

const HOME = '/campaign-home'

interface FrameProps {
  user: User
  path: string
  children: ReactNode
}

/** Header, card of the person, menu and the screen between them. */
export function Frame({ user, path, children }: FrameProps) {
  const t = useText()
  const product = useProductName()
  const [openOn, setOpenOn] = useState<string | null>(null)
  const role = roleKey(user.user_type)
  return (
    <>
      <header className={styles.header}>
        {path === HOME ? (
          <span className={styles.side} />
        ) : (
          <button type="button" className={styles.side} onClick={goBack} aria-label={t('frame.back')}>
            <Icon name="back" />
          </button>
        )}
        <Link href={HOME} className={styles.logo} aria-label={t('frame.toHome', { product })}>
          <Logo />
          <span>{product}</span>
        </Link>
        <span className={styles.right}>
          <HeldHere owner={ownerOf(user)} />
          <button type="button" className={styles.side} onClick={() => setOpenOn(path)} aria-label={t('frame.openMenu')} aria-haspopup="dialog">
            <Icon name="menu" />
          </button>
        </span>
      </header>
      <section className={styles.person} aria-label={t('frame.you')}>
        <ClientMark />
        <span className="ellipsis" title={user.hmc}>
          <span className="quiet">HMC </span>
          <strong className="mono">{user.hmc}</strong>
        </span>
        <span className={styles.role}>{role === null ? user.user_type : t(role)}</span>
      </section>
      <NoSignal />
      <Update />
      {openOn === path && <Menu user={user} onClose={() => setOpenOn(null)} />}
      <TopOnArrival key={path} />
      <main className={styles.main}>{children}</main>
    </>
  )
}

/** Says that what is shown is what this device took along. */
function NoSignal() {
  const t = useText()
  const there = useSignal()
  if (useAlong().length === 0 || there) return null
  return (
    <p className={styles.signal} role="status">
      {t('frame.noSignal')}
    </p>
  )
}

/** How many saves of this person wait on the device; the way to them. */
function HeldHere({ owner }: { owner: string }) {
  const t = useText()
  const { open, refused, ...kept } = useStore(held)
  if (kept.owner !== owner || open === 0) return null
  const words = [t(open === 1 ? 'frame.heldOne' : 'frame.held', { n: open }), ...(refused > 0 ? [t('frame.refused', { n: refused })] : [])].join(', ')
  return (
    <Link href="/outbox" className={`${styles.held} ${refused > 0 ? styles.wrong : ''}`} aria-label={words} title={words}>
      <Icon name={refused > 0 ? 'warning' : 'upload'} size={20} />
      {count(open)}
    </Link>
  )
}

/** The frame of a screen that needs no session: the header leads to the sign-in. */
export function OpenFrame({ children }: { children: ReactNode }) {
  const t = useText()
  const product = useProductName()
  return (
    <>
      <header className={styles.header}>
        <Link href="/" className={styles.side} aria-label={t('signIn.title')}>
          <Icon name="back" />
        </Link>
        <span className={styles.logo}>
          <Logo />
          <span>{product}</span>
        </span>
      </header>
      <TopOnArrival />
      <main className={styles.main}>{children}</main>
    </>
  )
}

function goBack(): void {
  if (window.history.length > 1) window.history.back()
  else navigate(HOME)
}

/** A new screen starts at its top; going back finds the place that was left. */
function TopOnArrival() {
  useEffect(() => {
    if (!returning) window.scrollTo(0, 0)
    returning = false
  }, [])
  return null
}

let returning = true // also after a reload the browser knows the place
window.addEventListener('popstate', () => {
  returning = true
})
