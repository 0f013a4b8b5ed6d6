import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { ComponentType } from 'react'
import { Route } from 'wouter'
import { startSession, type User } from '@/api/session'
import { navigate } from '@/lib/route'
import { Toaster } from '@/ui/Toast'

export const OPERATOR: User = { id: 3, hmc: '1003', user_type: 'op' }
export const LEADER: User = { id: 4, hmc: '1004', user_type: 'tm' }
export const SUPERVISOR: User = { id: 2, hmc: '1002', user_type: 'admin' }

export const asUser = (user: User) => startSession(`token of ${user.hmc}`, user)

/** Shows a screen at an address, as the route table would. */
export function show(Page: ComponentType, pattern: string, address: string) {
  navigate(address)
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  render(
    <QueryClientProvider client={queries}>
      <Route path={pattern} component={Page} />
      <Toaster />
    </QueryClientProvider>,
  )
  return userEvent.setup()
}
