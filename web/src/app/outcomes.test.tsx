import { act, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, test } from 'vitest'
import { outboxState, type StoredSave } from '@/offline/outbox'
import { navigate } from '@/lib/route'
import { createSaveRequest } from '@/testing/phone'
import { Toaster } from '@/ui/Toast'
import { notifyRetainedSave } from './outcomes'

const EMPTY = outboxState.get()
afterEach(() => outboxState.set(EMPTY))

const refused = (vehicle: number, code: string): StoredSave => ({
  ...createSaveRequest(vehicle), seq: vehicle, id: `${vehicle}`, key: `${vehicle}`, device_time: '', at: 1, mode: 'ask', state: 'refused', conflicts: [], done_at: null,
  reason: { status: 409, code, message: '', vin_number: 'NEW7 000000' },
})

const retain = (...entries: StoredSave[]) =>
  act(() => {
    for (const [index, entry] of entries.entries()) {
      outboxState.set({ ...EMPTY, entries: entries.slice(0, index + 1) })
      notifyRetainedSave(entry)
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
  const told = await screen.findByText('É este o veículo? 2 veículos que você inspecionou têm outro VIN no servidor.')
  expect(toasts()).toHaveLength(1)
  await userEvent.setup().click(told)
  expect([window.location.pathname, toasts()]).toEqual(['/outbox', []])
  retain(refused(9, 'OTHER_VEHICLE'))
  expect(toasts()).toEqual([]) // the outbox page itself asks
})
