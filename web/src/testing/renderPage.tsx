import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { ComponentType } from 'react'
import { Route } from 'wouter'
import { startSession, type Session, type SessionUser } from '@/api/session'
import { navigate } from '@/lib/route'
import { Outbox, OutboxContext } from '@/offline/outbox'
import { Toaster } from '@/ui/Toast'

export const OPERATOR: SessionUser = { id: 3, hmc: '1003', user_type: 'op' }
export const LEADER: SessionUser = { id: 4, hmc: '1004', user_type: 'tm' }
export const SUPERVISOR: SessionUser = { id: 2, hmc: '1002', user_type: 'admin' }

/** Creates a session of a user, with an encryption key that only this user has. */
export const createSession = (user: SessionUser): Session => ({
  id: `session of ${user.hmc}`, token: `token of ${user.hmc}`, encryptionKey: btoa(user.hmc.padEnd(32, '.')).replace(/=+$/, ''), user,
})
export const signInAs = (user: SessionUser) => startSession(createSession(user))

export const createTestQueryClient = () => new QueryClient({ defaultOptions: { queries: { retry: false } } })

/** Renders a page at an address, as the app's routes do. */
export function renderPage(Page: ComponentType, pattern: string, address: string, queries = createTestQueryClient(), outbox = new Outbox(queries, () => undefined)) {
  navigate(address)
  render(
    <QueryClientProvider client={queries}>
      <OutboxContext value={outbox}>
        <Route path={pattern} component={Page} />
      </OutboxContext>
      <Toaster />
    </QueryClientProvider>,
  )
  return userEvent.setup()
}
