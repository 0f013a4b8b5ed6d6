import { expect, test, vi } from 'vitest'
import { createSavedVehicle, rejectAsOffline, openTab, setUpDatabase, createSaveRequest } from '@/testing/outboxTabs'
import { stubServer } from '@/testing/server'
import { UNDO_PERIOD_MS } from './pendingSave'

setUpDatabase()

/** Time in milliseconds after which pending saves have been reported. */
const REPORT_MS = 2300

const held = (vehicle: number, status = 'ok') => createSaveRequest(vehicle, { held: true, change: { base: { status: '' }, wanted: { status } } })
const server = () => stubServer({ 'PUT /vehicles/7': createSavedVehicle(7, 'ok'), 'PUT /vehicles/8': createSavedVehicle(8, 'ok') })
const putsOf = (calls: ReturnType<typeof stubServer>) => calls.map(({ name }) => name).filter((name) => name.startsWith('PUT /vehicles'))
type Tab = Awaited<ReturnType<typeof openTab>>

/** Makes a held save of vehicle 7 and returns it. */
async function hold({ outbox }: Tab, vehicle = 7) {
  const result = await outbox.save(held(vehicle), `key-${vehicle}`)
  if (result.kind !== 'queued') throw new Error('the save was sent')
  return result
}

/** Moves the clock by this time. Timers stay real, because the fake database needs them. */
function pass(ms: number): void {
  const now = Date.now()
  vi.spyOn(Date, 'now').mockReturnValue(now + ms)
}

test('a held save is stored at once, shown as saved, and not sent before its time', async () => {
  const calls = server()
  const phone = await openTab()
  const { held: isHeld, entry } = await hold(phone)
  expect([isHeld, phone.states(), (await phone.records()).length, phone.outboxState.get().pending.get(7)?.length]).toEqual([true, ['7 waiting'], 1, 1])
  pass(UNDO_PERIOD_MS - 100)
  await phone.outbox.flush()
  expect(putsOf(calls)).toEqual([])
  pass(200)
  await phone.outbox.flush()
  expect([putsOf(calls), phone.states()]).toEqual([['PUT /vehicles/7'], ['7 done']])
  expect(calls[0]?.headers.get('idempotency-key')).toBe(entry.key)
})

test('a held save is sent by itself when its time is over', async () => {
  const calls = server()
  const phone = await openTab()
  phone.outbox.start()
  const at = Date.now() - UNDO_PERIOD_MS + 300 // the save was made long ago, so that its undo period ends soon
  vi.useFakeTimers({ toFake: ['Date'], now: at })
  await hold(phone)
  vi.useRealTimers()
  phone.outbox.start()
  expect(putsOf(calls)).toEqual([])
  await vi.waitFor(() => expect(phone.states()).toEqual(['7 done']))
  expect(putsOf(calls)).toEqual(['PUT /vehicles/7'])
})

test('an undone save is gone and never sent; after it was sent, undo does nothing', async () => {
  const calls = server()
  const phone = await openTab()
  const { entry } = await hold(phone)
  expect(await phone.outbox.undo(entry)).toBe(true)
  expect([phone.states(), await phone.records()]).toEqual([[], []])
  pass(UNDO_PERIOD_MS + 1)
  await phone.outbox.flush()
  expect(putsOf(calls)).toEqual([])
  vi.restoreAllMocks()

  const again = await hold(phone, 8)
  phone.outbox.endUndoPeriod()
  await vi.waitFor(() => expect(phone.states()).toEqual(['8 done']))
  expect(await phone.outbox.undo(again.entry)).toBe(false)
  expect([phone.states(), putsOf(calls)]).toEqual([['8 done'], ['PUT /vehicles/8']])
})

test('undo and the end of the hold at the same moment: the save is either undone or sent', async () => {
  for (let round = 0; round < 10; round++) {
    const calls = server()
    const phone = await openTab()
    const { entry } = await hold(phone)
    const [undone] = round % 2 === 0 ? await Promise.all([phone.outbox.undo(entry), phone.outbox.endUndoPeriod()]) : [(phone.outbox.endUndoPeriod(), await phone.outbox.undo(entry))]
    await phone.outbox.flush()
    expect(putsOf(calls)).toEqual(undone ? [] : ['PUT /vehicles/7'])
    expect(phone.states()).toEqual(undone ? [] : ['7 done'])
    for (const { seq } of phone.outboxState.get().entries) await phone.deleteOutboxEntry(seq)
  }
})

test('hiding or leaving the page sends a held save', async () => {
  for (const [vehicle, leave] of [[7, () => window.dispatchEvent(new Event('pagehide'))], [8, () => {
    vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden')
    document.dispatchEvent(new Event('visibilitychange'))
  }]] as const) {
    const calls = server()
    const phone = await openTab()
    phone.outbox.start()
    await hold(phone, vehicle)
    leave()
    await vi.waitFor(() => expect(putsOf(calls)).toEqual([`PUT /vehicles/${vehicle}`]))
  }
})

test('a held save of a page that was killed is sent after its time, by the next page or by another tab', async () => {
  const calls = server()
  const killed = await openTab()
  await hold(killed)
  const next = await openTab()
  next.outbox.start()
  await next.outbox.flush()
  expect(putsOf(calls)).toEqual([])
  pass(UNDO_PERIOD_MS)
  const later = await openTab()
  later.outbox.start()
  await vi.waitFor(() => expect(later.states()).toEqual(['7 done']))
  expect(putsOf(calls)).toEqual(['PUT /vehicles/7'])
})

test('another tab does not send a held save before its time, and two tabs send it with one key, by which the server applies it once', async () => {
  const calls = server()
  const [one, other] = [await openTab(), await openTab(undefined, () => {})]
  const { entry } = await hold(one)
  await other.outbox.flush()
  expect(putsOf(calls)).toEqual([])
  expect(await one.outbox.undo(entry)).toBe(true)
  await vi.waitFor(() => expect(other.states()).toEqual([]))
  await hold(one)
  pass(UNDO_PERIOD_MS)
  await Promise.all([one.outbox.flush(), other.outbox.flush()])
  expect(new Set(calls.filter(({ name }) => name === 'PUT /vehicles/7').map(({ headers }) => headers.get('idempotency-key')))).toEqual(new Set(['key-7']))
})

test('a save that is not held ends the hold of earlier saves, which are sent first', async () => {
  const calls = server()
  const phone = await openTab()
  await hold(phone)
  expect((await phone.outbox.save(createSaveRequest(8), 'key-8')).kind).toBe('saved')
  expect(putsOf(calls)).toEqual(['PUT /vehicles/7', 'PUT /vehicles/8'])
})

test('a held save counts as held until it should have been sent, then as waiting without any further change', async () => {
  stubServer({ 'PUT /vehicles/7': rejectAsOffline })
  const phone = await openTab()
  const at = Date.now() - UNDO_PERIOD_MS // the save was made long ago, so that its time as held ends soon
  vi.useFakeTimers({ toFake: ['Date'], now: at })
  await hold(phone)
  const count = () => {
    const { open, held: heldNow } = phone.pendingSaveCount.get()
    return [open, heldNow]
  }
  expect(count()).toEqual([1, 1])
  vi.useRealTimers()
  await phone.loadOutbox()
  expect(count()).toEqual([1, 1])
  await vi.waitFor(() => expect(count()).toEqual([1, 0]), 3000)
})

test('a held save without a network stays pending after its time', async () => {
  stubServer({ 'PUT /vehicles/7': rejectAsOffline })
  const phone = await openTab()
  await hold(phone)
  pass(UNDO_PERIOD_MS)
  await phone.outbox.flush()
  expect(phone.states()).toEqual(['7 waiting'])
})

test('a held save is not reported to the server as pending', async () => {
  const calls = stubServer({ 'PUT /vehicles/7': createSavedVehicle(7, 'ok') })
  const phone = await openTab()
  phone.outbox.start()
  await hold(phone)
  await new Promise((later) => setTimeout(later, REPORT_MS))
  expect([phone.states(), calls.filter(({ name }) => name.includes('/held'))]).toEqual([['7 waiting'], []])
})

test('a clock that was set back does not hold a save', async () => {
  const calls = server()
  const phone = await openTab()
  await hold(phone)
  pass(-60_000)
  await phone.outbox.flush()
  expect(putsOf(calls)).toEqual(['PUT /vehicles/7'])
})
