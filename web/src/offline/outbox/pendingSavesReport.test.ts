import { expect, test, vi } from 'vitest'
import { createSaveRequest, openTab, setUpDatabase } from '@/testing/outboxTabs'
import { createReply, stubServer } from '@/testing/server'
import { UNDO_PERIOD_MS } from './pendingSave'

setUpDatabase()

const REPORT = 'PUT /devices/d-1/held'
const held = (vehicle: number) => createSaveRequest(vehicle, { held: true, change: { base: { status: '' }, wanted: { status: 'ok' } } })

/** Opens a tab of the device d-1 whose save of vehicle 7 the server refuses, so that the save stays on the device. Time is under control. */
async function openWithRefusedSave() {
  localStorage.setItem('device', 'd-1')
  const calls = stubServer({ [REPORT]: createReply(204), 'PUT /vehicles/7': createReply(422, { code: 'VALIDATION_FAILED', message: 'not allowed' }) })
  const tab = await openTab()
  const { report, REPEAT_MS } = await import('./pendingSavesReport')
  await tab.outbox.save(held(7), 'key-7')
  let now = Date.now()
  vi.spyOn(Date, 'now').mockImplementation(() => now)
  const pass = (ms: number) => (now += ms)
  pass(UNDO_PERIOD_MS)
  await tab.outbox.flush()
  expect(tab.states()).toEqual(['7 refused'])
  return { report, REPEAT_MS, pass, reports: () => calls.filter(({ name }) => name === REPORT).map(({ json }) => json.held) }
}

test('a save that stays on the device is reported again after five minutes, so that the device does not count as silent', async () => {
  const { report, REPEAT_MS, pass, reports } = await openWithRefusedSave()
  await report()
  expect(reports()).toEqual([[expect.objectContaining({ campaign_id: 5, saves: 1 })]])
  pass(REPEAT_MS - 1)
  await report()
  expect(reports()).toHaveLength(1)
  pass(1)
  await report()
  expect(reports()).toHaveLength(2)
})

test('the next report is due five minutes after the last one, however often the outbox changes', async () => {
  const { report, REPEAT_MS, pass } = await openWithRefusedSave()
  const timers = vi.spyOn(globalThis, 'setTimeout')
  const delays = () => timers.mock.calls.map(([, ms]) => ms).slice(-1)
  await report()
  expect(delays()).toEqual([REPEAT_MS])
  pass(60_000)
  await report()
  expect(delays()).toEqual([REPEAT_MS - 60_000])
})

test('a device without pending saves reports nothing and sets no timer', async () => {
  const calls = stubServer({})
  await openTab()
  const { report } = await import('./pendingSavesReport')
  const timers = vi.spyOn(globalThis, 'setTimeout')
  await report()
  expect([calls, timers.mock.calls]).toEqual([[], []])
})
