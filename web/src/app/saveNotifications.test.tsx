import { act, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, test } from 'vitest'
import { outboxState, type OutboxEntry } from '@/offline/outbox'
import { endSessionAndKeepData } from '@/api/session'
import type { FieldConflict } from '@/api/types'
import { navigate } from '@/lib/route'
import { createFake } from '@/testing/createFake'
import { createSaveRequest } from '@/testing/outboxTabs'
import { OPERATOR, signInAs } from '@/testing/renderPage'
import { Toaster } from '@/ui/Toast'
import { notifyVehicleMismatch, showConflictOutcomes } from './saveNotifications'

const EMPTY = outboxState.get()
afterEach(() => {
  outboxState.set(EMPTY)
  endSessionAndKeepData()
})

const refused = (vehicle: number, code: string): OutboxEntry => ({
  ...createSaveRequest(vehicle), seq: vehicle, id: `${vehicle}`, key: `${vehicle}`, device_time: '', at: 1, mode: 'ask', state: 'refused', conflicts: [], done_at: null,
  reason: { status: 409, code, message: '', vin_number: 'NEW7 000000' },
})

const retain = (...entries: OutboxEntry[]) =>
  act(() => {
    for (const [index, entry] of entries.entries()) {
      outboxState.set({ ...EMPTY, entries: entries.slice(0, index + 1) })
      notifyVehicleMismatch(entry)
    }
  })
const toasts = () => screen.queryAllByRole('button').map(({ textContent }) => textContent)

test('saves rejected for another vehicle are announced in one toast, which opens the outbox', async () => {
  navigate('/campaign-home')
  render(<Toaster />)
  retain(refused(6, 'CAMPAIGN_CLOSED'))
  expect(toasts()).toEqual([])
  retain(refused(7, 'OTHER_VEHICLE'))
  await screen.findByText('É este o veículo? Você inspecionou HB20 000007. O servidor tem NEW7 000000 no lugar dele.')
  retain(refused(7, 'OTHER_VEHICLE'), refused(8, 'OTHER_VEHICLE'))
  const toast = await screen.findByText('É este o veículo? 2 veículos que você inspecionou têm outro VIN no servidor.')
  expect(toasts()).toHaveLength(1)
  await userEvent.setup().click(toast)
  expect([window.location.pathname, toasts()]).toEqual(['/outbox', []])
  retain(refused(9, 'OTHER_VEHICLE'))
  expect(toasts()).toEqual([]) // the outbox page itself asks
})

const settled = (id: number, vin_number: string) =>
  createFake<FieldConflict>({ id, vin_number, state: 'settled', chosen: 'mine', mine_by_hmc: OPERATOR.hmc, theirs_by_hmc: '1009', settled_by_hmc: '1002' })

test('one resolved conflict names its vehicle; several that were missed are one toast, which opens the outbox, and none is shown twice', async () => {
  navigate('/campaign-home')
  signInAs(OPERATOR)
  render(<Toaster />)
  act(() => showConflictOutcomes([settled(1, 'HB20 000001')]))
  expect(toasts()).toEqual(['HB20 000001: 1002 manteve o seu valor.'])
  act(() => showConflictOutcomes([settled(1, 'HB20 000001'), settled(2, 'HB20 000002'), settled(3, 'HB20 000003')]))
  const several = await screen.findByText('2 conflitos seus foram resolvidos.')
  expect(toasts()).toHaveLength(2)
  await userEvent.setup().click(several)
  expect(window.location.pathname).toBe('/outbox')
  act(() => showConflictOutcomes([settled(2, 'HB20 000002')]))
  expect(toasts()).toHaveLength(1)
})
