import { Suspense, useEffect, type ReactNode } from 'react'
import { Redirect, Route, Switch, useLocation } from 'wouter'
import { done, http } from '@/api/client'
import { checkSession, rememberScreen, useSession } from '@/api/session'
import { navigate } from '@/lib/route'
import { useText } from '@/lib/text'
import { logTimestamp } from '@/lib/time'
import { Page, Skeleton } from '@/ui/Page'
import { Crash } from './Crash'
import { Frame } from './Frame'
import { SCREENS } from './screens'

/** Everything behind the sign-in: who has no session is sent there and comes back afterwards. */
export function Inside() {
  const [path] = useLocation()
  const session = useSession()
  useEffect(checkSession, [path])
  if (session === null) return <SignInFirst />
  return (
    <Frame user={session.user} path={path}>
      <PageView path={path} />
      <Crash key={path}>
        <Suspense fallback={<Opening />}>
          <Switch>
            {SCREENS.map(({ path: pattern, Page: Screen, allow, elsewhere = '/' }) => (
              <Route key={pattern} path={pattern}>
                {allow && !allow(session.user.user_type) ? <Redirect to={elsewhere} replace /> : <Screen />}
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
