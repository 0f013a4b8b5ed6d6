import { QueryClientProvider } from '@tanstack/react-query'
import { Suspense } from 'react'
import { Route, Switch } from 'wouter'
import { Toaster } from '@/ui/Toast'
import { Crash } from './Crash'
import { Inside } from './Inside'
import { queries } from './queries'
import { SignInPage } from './screens'

export function App() {
  return (
    <QueryClientProvider client={queries}>
      <Crash>
        <Suspense>
          <Switch>
            <Route path="/" component={SignInPage} />
            <Route component={Inside} />
          </Switch>
        </Suspense>
      </Crash>
      <Toaster />
    </QueryClientProvider>
  )
}
