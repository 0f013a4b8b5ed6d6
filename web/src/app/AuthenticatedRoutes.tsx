import { useQuery } from '@tanstack/react-query'
import { Suspense, useEffect, type ReactNode } from 'react'
import { Redirect, Route, Switch, useLocation } from 'wouter'
import { apiClient, unwrapEmptyResponse } from '@/api/client'
import { currentUserQuery } from '@/api/currentUserQuery'
import { reloadSession, getCurrentSession, mustChangePassword, saveReturnPath, useSession } from '@/api/session'
import { loadServerMessageTranslations } from '@/lib/translateServerMessage'
import { navigate } from '@/lib/route'
import { useStore } from '@/lib/store'
import { useText } from '@/lib/text'
import { formatLogTimestamp } from '@/lib/format'
import { Page, Skeleton } from '@/ui/Page'
import { PasswordPromptHost } from './PasswordPromptHost'
import { ErrorBoundary } from './ErrorBoundary'
import { loadOutboxAndLiveFeed } from './loadOutboxAndLiveFeed'
import { Layout, PublicLayout } from './Layout'
import { ForcedPasswordChangePage, ROUTES, type AppRoute } from './routes'
import { registerServiceWorker } from './serviceWorker'
import { signOut } from './signOut'

/**
 * Renders all pages except the sign-in page. Without a session, renders only public pages and redirects other paths to the sign-in page.
 */
export function AuthenticatedRoutes() {
  const [path] = useLocation()
  const session = useSession()
  const mustChange = useStore(mustChangePassword)
  useEffect(reloadSession, [path])
  useEffect(registerServiceWorker, [])
  useEffect(() => void loadServerMessageTranslations().catch(() => undefined), [])
  // The back-forward cache may restore a page of a person who has signed out.
  useEffect(() => {
    window.addEventListener('pageshow', checkRestored)
    return () => window.removeEventListener('pageshow', checkRestored)
  }, [])
  useEffect(loadOutboxAndLiveFeed, [session, mustChange])
  if (session === null) return <Outside />
  if (mustChange) return <ForcedPasswordChange />
  return (
    <Layout user={session.user} path={path}>
      <PageView path={path} />
      <ErrorBoundary key={path}>
        <Suspense fallback={<Opening />}>
          <Switch>
            {ROUTES.map((route) => (
              <Route key={route.path} path={route.path}>
                {route.allow ? <Guarded route={route} userType={session.user.user_type} /> : <route.Page />}
              </Route>
            ))}
            <Route>
              <Redirect to="/campaign-home" replace />
            </Route>
          </Switch>
        </Suspense>
      </ErrorBoundary>
      <PasswordPromptHost />
    </Layout>
  )
}

/**
 * Handles the `pageshow` event: reloads a page restored from the back-forward cache when the session has changed, because the page shows
 * the previous user's data.
 */
function checkRestored({ persisted }: PageTransitionEvent): void {
  const before = getCurrentSession()?.token
  reloadSession()
  if (!persisted || getCurrentSession()?.token === before) return
  document.body.hidden = true
  window.location.reload()
}

/**
 * Renders a page if the user may open it, and otherwise redirects to the route's `elsewhere`. If the access depends on whether the user
 * has the developer account, shows a placeholder until the account data is loaded.
 */
function Guarded({ route: { Page: Allowed, allow, elsewhere = '/' }, userType }: { route: AppRoute; userType: string }) {
  const me = useQuery(currentUserQuery)
  if (allow?.(userType, me.data?.developer ?? false)) return <Allowed />
  const undecided = me.isPending && allow?.(userType, true)
  return undecided ? <Opening /> : <Redirect to={elsewhere} replace />
}

function ForcedPasswordChange() {
  return (
    <PublicLayout back={false}>
      <Suspense fallback={<Opening />}>
        <ForcedPasswordChangePage onSignOut={signOut} />
      </Suspense>
    </PublicLayout>
  )
}

/** Renders the public pages for a visitor without a session. Redirects every other path to the sign-in page. */
function Outside() {
  return (
    <Switch>
      {ROUTES.filter(({ isPublic }) => isPublic).map(({ path, Page: Public }) => (
        <Route key={path} path={path}>
          <PublicLayout>
            <Suspense fallback={<Opening />}>
              <Public />
            </Suspense>
          </PublicLayout>
        </Route>
      ))}
      <Route component={SignInFirst} />
    </Switch>
  )
}

function SignInFirst(): ReactNode {
  useEffect(() => {
    saveReturnPath(null)
    navigate('/', { replace: true })
  }, [])
  return null
}

/** Reports the path of the shown page to the server's audit log. Renders nothing; a failed report is only logged to the console. */
function PageView({ path }: { path: string }): ReactNode {
  useEffect(() => {
    const body = { page: path.replace(/^\/+/, '') || 'home', timestamp: formatLogTimestamp(new Date()) }
    unwrapEmptyResponse(apiClient.POST('/logs/page-view', { body })).catch(() => console.warn('failed to log the page view, the audit log lacks it'))
  }, [path])
  return null
}

function Opening() {
  const t = useText()
  return (
    <Page title="…">
      <Skeleton rows={4} label={t('common.loading')} />
    </Page>
  )
}
