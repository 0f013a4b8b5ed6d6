import { expect, test, vi } from 'vitest'
import { createSaveRequest, openTab, setUpDatabase } from '@/testing/outboxTabs'
import { createReply, stubServer } from '@/testing/server'

setUpDatabase()

const refusal = createReply(422, { code: 'VALIDATION_FAILED', message: 'not allowed' })

test('a save that stays on the device is reported again after five minutes, so that the device does not count as silent', async () => {
  const device = 'PUT /devices/d-1/held'
  localStorage.setItem('device', 'd-1')
  const calls = stubServer({ [device]: createReply(204), 'PUT /vehicles/7': refusal })
  const timers = vi.spyOn(globalThis, 'setTimeout')
  const tab = await openTab()
  const { REPEAT_MS } = await import('./pendingSavesReport')
  tab.outbox.start()
  await tab.outbox.save(createSaveRequest(7), 'key-7')
  const reports = () => calls.filter(({ name }) => name === device).map(({ json }) => json.held)
  await vi.waitFor(() => expect(reports()).toEqual([[expect.objectContaining({ campaign_id: 5, saves: 1 })]]), 5000)
  const repeat = timers.mock.calls.findLast(([, ms]) => ms === REPEAT_MS)?.[0]
  if (typeof repeat !== 'function') throw new Error('no repeat is scheduled')
  repeat()
  await new Promise((later) => setTimeout(later, 50))
  expect(reports()).toHaveLength(1)
  const now = Date.now()
  vi.spyOn(Date, 'now').mockReturnValue(now + REPEAT_MS)
  repeat()
  await vi.waitFor(() => expect(reports()).toHaveLength(2))
})

test('a device without pending saves reports nothing and sets no timer', async () => {
  const calls = stubServer({})
  const timers = vi.spyOn(globalThis, 'setTimeout')
  const tab = await openTab()
  const { REPEAT_MS, reportPendingSaves } = await import('./pendingSavesReport')
  tab.outbox.start()
  reportPendingSaves()
  await new Promise((later) => setTimeout(later, 2300))
  expect([calls.filter(({ name }) => name.endsWith('/held')), timers.mock.calls.filter(([, ms]) => ms === REPEAT_MS)]).toEqual([[], []])
})
