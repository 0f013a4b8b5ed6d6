import { QueryClientProvider } from '@tanstack/react-query'
import { Suspense } from 'react'
import { Route, Switch } from 'wouter'
import { Toaster } from '@/ui/Toast'
import { ErrorBoundary } from './ErrorBoundary'
import { AuthenticatedRoutes } from './AuthenticatedRoutes'
import { queryClient } from './queryClient'
import { SignInPage } from './routes'

export function App() {
  return (
    <QueryClientProvider client={queryClient}>
      <ErrorBoundary>
        <Suspense>
          <Switch>
            <Route path="/" component={SignInPage} />
            <Route component={AuthenticatedRoutes} />
          </Switch>
        </Suspense>
      </ErrorBoundary>
      <Toaster />
    </QueryClientProvider>
  )
}
