import { useQuery } from '@tanstack/react-query'
import { Suspense, useEffect, type ReactNode } from 'react'
import { Redirect, Route, Switch, useLocation } from 'wouter'
import { done, http } from '@/api/client'
import { meQuery } from '@/api/queries'
import { checkSession, rememberScreen, useSession } from '@/api/session'
import { loadSentences } from '@/lib/inWords'
import { navigate } from '@/lib/route'
import { useText } from '@/lib/text'
import { logTimestamp } from '@/lib/time'
import { Page, Skeleton } from '@/ui/Page'
import { Crash } from './Crash'
import { wakeField } from './field'
import { Frame, OpenFrame } from './Frame'
import { SCREENS, type Screen } from './screens'
import { keepOffline } from './offline'

/** Everything behind the sign-in: who has no session is sent there and comes back afterwards. */
export function Inside() {
  const [path] = useLocation()
  const session = useSession()
  useEffect(checkSession, [path])
  useEffect(keepOffline, [])
  useEffect(() => void loadSentences().catch(() => undefined), [])
  // A page that comes back from the browser's memory may show the work of somebody who has signed out.
  useEffect(() => {
    window.addEventListener('pageshow', checkSession)
    return () => window.removeEventListener('pageshow', checkSession)
  }, [])
  useEffect(wakeField, [session])
  if (session === null) return <Outside />
  return (
    <Frame user={session.user} path={path}>
      <PageView path={path} />
      <Crash key={path}>
        <Suspense fallback={<Opening />}>
          <Switch>
            {SCREENS.map((screen) => (
              <Route key={screen.path} path={screen.path}>
                {screen.allow ? <Guarded screen={screen} userType={session.user.user_type} /> : <screen.Page />}
              </Route>
            ))}
            <Route>
              <Redirect to="/campaign-home" replace />
            </Route>
          </Switch>
        </Suspense>
      </Crash>
    </Frame>
  )
}

/** A screen that not everybody may stay on; whether one is the developer the server is asked. */
function Guarded({ screen: { Page: Screen, allow, elsewhere = '/' }, userType }: { screen: Screen; userType: string }) {
  const me = useQuery(meQuery)
  if (allow?.(userType, me.data?.developer ?? false)) return <Screen />
  const undecided = me.isPending && allow?.(userType, true)
  return undecided ? <Opening /> : <Redirect to={elsewhere} replace />
}

/** Without a session: the screens that need none, and for all others the sign-in. */
function Outside() {
  return (
    <Switch>
      {SCREENS.filter(({ open }) => open).map(({ path, Page: Screen }) => (
        <Route key={path} path={path}>
          <OpenFrame>
            <Suspense fallback={<Opening />}>
              <Screen />
            </Suspense>
          </OpenFrame>
        </Route>
      ))}
      <Route component={SignInFirst} />
    </Switch>
  )
}

function SignInFirst(): ReactNode {
  useEffect(() => {
    rememberScreen(null)
    navigate('/', { replace: true })
  }, [])
  return null
}

/** Tells the server which page is shown; a failure is only warned of. */
function PageView({ path }: { path: string }): ReactNode {
  useEffect(() => {
    const body = { page: path.replace(/^\/+/, '') || 'home', timestamp: logTimestamp(new Date()) }
    done(http.POST('/logs/page-view', { body })).catch(() => console.warn('the page view was not logged'))
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
