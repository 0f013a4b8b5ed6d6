import { createElement, lazy, Suspense, useEffect, useState, type ComponentType, type MouseEvent, type ReactNode } from 'react'
import { useProductName } from '@/api/product'
import { useOfflineCampaigns } from '@/offline/offlineCampaigns'
import { getDataOwnerKey, type SessionUser } from '@/api/session'
import { useIsServerReachable } from '@/api/connectivity'
import { runWhenIdle } from '@/lib/runWhenIdle'
import { useMediaQuery } from '@/lib/useMediaQuery'
import { Link, navigate } from '@/lib/route'
import { getAccessLevelTextKey } from '@/lib/roles'
import { useText } from '@/lib/text'
import { Icon } from '@/ui/Icon'
import { ClientLogo, Logo } from '@/ui/Logo'
import { AppearanceButton } from './AppearanceButton'
import { SyncChip } from './SyncChip'
import { UpdatePrompt } from './UpdatePrompt'
import styles from './Layout.module.css'

const HOME = '/campaign-home'
const CONTENT = 'content'

/**
 * Creates a layout component whose code is loaded on first render. Renders nothing if loading fails, as pages work without the component.
 */
const lazyPart = <P,>(load: () => Promise<ComponentType<P>>) =>
  lazy(async () => ({ default: await load().catch((): ComponentType<P> => () => null) }))

const Rail = lazyPart(async () => (await import('./desktop')).NavigationRail)
const HeaderTools = lazyPart(async () => (await import('./desktop')).HeaderTools)
const PrintFooter = lazyPart(async () => (await import('./PrintFooter')).PrintFooter)

/**
 * Returns the module of the main menu, or null until the module is loaded. Loading starts in an idle moment, or at once when the menu is
 * opened. A failed load is retried when the menu is opened or closed.
 */
function useMenu(isOpen: boolean) {
  const [loaded, setLoaded] = useState<typeof import('./MainMenu') | null>(null)
  useEffect(() => {
    const load = () => import('./MainMenu').then(setLoaded).catch(() => console.warn('failed to load the menu, retrying when the menu is opened'))
    if (isOpen) void load()
    else if (loaded === null) runWhenIdle(() => void load())
  }, [loaded, isOpen])
  return loaded
}

interface LayoutProps {
  user: SessionUser
  path: string
  children: ReactNode
}

/** Layout of the pages for signed-in users: header, navigation rail in wide windows, user card, menu and the page content. */
export function Layout({ user, path, children }: LayoutProps) {
  const t = useText()
  const product = useProductName()
  const [openOn, setOpenOn] = useState<string | null>(null)
  const isDesktop = useMediaQuery('(min-width: 900px)')
  const isLow = useMediaQuery('(max-height: 480px)')
  const isCardBelow = path === HOME && !isDesktop && !isLow
  const isMenuOpen = openOn === path
  const menu = useMenu(isMenuOpen)
  return (
    <div className={styles.frame}>
      <header className={styles.header}>
        <a href={`#${CONTENT}`} className={styles.skip} onClick={skipToContent}>
          {t('frame.skip')}
        </a>
        {path !== HOME && (
          <button type="button" className={styles.side} onClick={goBack} aria-label={t('frame.back')}>
            <Icon name="back" />
          </button>
        )}
        <Link href={HOME} className={styles.logo} aria-label={t('frame.toHome', { product })}>
          <Logo />
          <span className="ellipsis">{product}</span>
        </Link>
        <div className={styles.tools}>
          <Suspense>{isDesktop && <HeaderTools user={user} path={path} />}</Suspense>
        </div>
        <SyncChip owner={getDataOwnerKey(user)} />
        <AppearanceButton />
        {!isCardBelow && <PersonCard user={user} className={styles.chip} />}
        <button type="button" className={styles.side} onClick={() => setOpenOn(path)} aria-label={t('frame.openMenu')} aria-haspopup="dialog">
          <Icon name="menu" />
        </button>
      </header>
      <Suspense>{isDesktop && <Rail user={user} path={path} hidden={isMenuOpen} />}</Suspense>
      <div className={styles.body}>
        {isCardBelow && <PersonCard user={user} className={styles.card} />}
        <OfflineBanner />
        <UpdatePrompt />
        <TopOnArrival key={path} />
        <main id={CONTENT}>{children}</main>
        <Suspense>
          <PrintFooter user={user} />
        </Suspense>
      </div>
      {isMenuOpen && menu !== null && createElement(menu.MainMenu, { user, onClose: () => setOpenOn(null) })}
    </div>
  )
}

/** Card of the signed-in user: login name (HMC), access level, and the logo of the client company. */
function PersonCard({ user, className }: { user: SessionUser; className: string | undefined }) {
  const t = useText()
  const role = getAccessLevelTextKey(user.user_type)
  return (
    <section className={className} aria-label={t('frame.you')}>
      <ClientLogo />
      <span className="ellipsis" title={user.hmc}>
        <span className={styles.label}>HMC </span>
        <strong className="mono">{user.hmc}</strong>
      </span>
      <span className={`${styles.role} ellipsis`}>{role === null ? user.user_type : t(role)}</span>
    </section>
  )
}

/** Handles the skip link: moves the focus to the heading of the page, past the header and the navigation rail. */
function skipToContent(event: MouseEvent): void {
  event.preventDefault()
  const heading = document.querySelector<HTMLElement>(`#${CONTENT} h1`)
  heading?.focus({ preventScroll: true })
  heading?.scrollIntoView({ block: 'nearest' })
}

/** Banner that states that the page shows stored data. Visible while the server is unreachable, if campaigns are available offline. */
function OfflineBanner() {
  const t = useText()
  const isOnline = useIsServerReachable()
  if (useOfflineCampaigns().length === 0 || isOnline) return null
  return (
    <p className={styles.signal} role="status">
      {t('frame.noSignal')}
    </p>
  )
}

/** Layout of the pages without a menu: public pages and the forced password change. With `back`, the header links to the sign-in page. */
export function PublicLayout({ children, back = true }: { children: ReactNode; back?: boolean }) {
  const t = useText()
  const product = useProductName()
  return (
    <>
      <header className={styles.header}>
        {back && (
          <Link href="/" className={styles.side} aria-label={t('signIn.title')}>
            <Icon name="back" />
          </Link>
        )}
        <span className={styles.logo}>
          <Logo />
          <span className="ellipsis">{product}</span>
        </span>
      </header>
      <TopOnArrival />
      <main>{children}</main>
    </>
  )
}

function goBack(): void {
  if (window.history.length > 1) window.history.back()
  else navigate(HOME)
}

/** Scrolls a newly opened page to its top. After back or forward navigation, keeps the scroll position that the browser restores. */
function TopOnArrival() {
  useEffect(() => {
    if (!isReturning) window.scrollTo(0, 0)
    isReturning = false
  }, [])
  return null
}

let isReturning = true // the browser restores the position after a reload, too
window.addEventListener('popstate', () => {
  isReturning = true
})
