import { createEvent, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { endSessionAndKeepData } from '@/api/session'
import type { FieldConflict } from '@/api/types'
import { createReply, stubServer } from '@/testing/server'
import { signInAs, LEADER, renderPage } from '@/testing/renderPage'
import { expectPresent } from '@/testing/createFake'
import { groupConflictsByCampaign } from './ConflictParts'
import { mergeOpenConflicts, listResolvedConflictIds } from './shownConflicts'
import ConflictsPage from './ConflictsPage'
import { createScannerTypingFilter } from './scannerTypingFilter'

const conflict = (id: number, more: Partial<FieldConflict> = {}): FieldConflict => ({
  id, vehicle_id: id, vin_number: `HB20 00000${id}`, campaign_id: 5, campaign_name: 'Airbag', field: 'status', base: '', theirs: 'ng', theirs_at: '2026-11-20T12:00:00Z', theirs_by_hmc: '1003',
  mine: 'ok', mine_at: '2026-11-20T12:05:00Z', mine_by_hmc: '1005', device_time: null, shown: 'theirs', state: 'open', chosen: null, settled_at: null, settled_by_hmc: null, ...more,
})
const listed = [conflict(1), conflict(2, { campaign_id: 6, campaign_name: 'Brakes' }), conflict(3, { field: 'operator_notes', theirs: '', mine: 'A long note' })]

afterEach(endSessionAndKeepData)

async function open() {
  signInAs(LEADER)
  const vehicle = { ...conflict(1), parking_space: 'B-204', version: 1, status: '' }
  const calls = stubServer({
    'GET /conflicts': { conflicts: listed, meta: { page_index: 0, per_page: 50, total_count: 120 } },
    ...Object.fromEntries(listed.map(({ id }) => [`GET /vehicles/${id}`, { ...vehicle, id }])),
    ...Object.fromEntries(listed.map(({ id }) => [`POST /conflicts/${id}/settle`, createReply(409, { code: 'SETTLED', message: '' })])),
  })
  const person = renderPage(ConflictsPage, '/conflicts', '/conflicts')
  const table = within(await screen.findByRole('table', { name: 'Conflicts' }))
  const row = (vin: string) => expectPresent(table.getByRole('link', { name: vin }).closest('tr'))
  return { person, table, row, settled: () => calls.filter(({ name }) => name.endsWith('/settle')).map(({ name, json }) => `${name} ${String(json.choice)}`) }
}

test('conflicts are a titled table by campaign, with VIN, space, field and both values', async () => {
  const { table, row } = await open()
  expect(table.getAllByRole('columnheader').map(({ textContent }) => textContent)).toEqual(['Parking Space', 'VIN Number', 'Field', '1. First value', '2. Second value', 'When'])
  expect(table.getAllByRole('rowheader').map(({ textContent }) => textContent)).toEqual(['Airbag 2', 'Brakes 1'])
  await waitFor(() => expect(row('HB20 000001').textContent).toContain('B-204'))
  expect(row('HB20 000001').textContent).toMatch(/Status.*ng.*1003 \d.*ok.*1005 \d/)
  expect(within(row('HB20 000001')).getByTitle('1003').textContent).toBe('1003')
  expect(screen.getByText('Mostrando 3 de 120.')).toBeTruthy()
  expect(row('HB20 000001').textContent).toContain('Antes: Not inspected')
  expect(within(row('HB20 000001')).getAllByRole('button').map((button) => [button.textContent, button.getAttribute('aria-label')])).toEqual([
    ['Keep ng1', 'Keep ng by 1003 for HB20 000001'], ['Keep ok2', 'Keep ok by 1005 for HB20 000001'],
  ])
  expect(within(row('HB20 000003')).getByText('empty').className).not.toBe('')
  expect(within(row('HB20 000003')).getByRole('button', { name: 'Keep this value: "empty" by 1003 for HB20 000003' }).textContent).toBe('Keep this value1')
})

test('the heading states the number of open conflicts', async () => {
  await open()
  expect((await screen.findByText('120 open')).closest('h1')?.textContent).toBe('Conflicts 120 open')
})

test('a list of one campaign says so and leads to all conflicts', async () => {
  signInAs(LEADER)
  const calls = stubServer({ 'GET /conflicts': { conflicts: listed, meta: { page_index: 0, per_page: 50, total_count: 3 } } })
  renderPage(ConflictsPage, '/conflicts', '/conflicts?campaign=5')
  expect((await screen.findByText('Só os conflitos de uma campanha.')).parentElement?.querySelector('a')?.getAttribute('href')).toBe('/conflicts')
  await waitFor(() => expect(calls.some(({ name, query }) => name === 'GET /conflicts' && query.get('campaign_id') === '5')).toBe(true))
})

test('key 1 or 2 in a row keeps that value and moves to the next row', async () => {
  const { person, row, settled } = await open()
  row('HB20 000001').focus()
  await person.keyboard('2')
  await waitFor(() => expect(settled()).toEqual(['POST /conflicts/1/settle mine']))
  expect(document.activeElement).toBe(row('HB20 000003'))
  await waitFor(() => expect(row('HB20 000001').textContent).toContain('Nada mudou: o conflito já foi resolvido, ou o veículo mudou depois.'))
  await person.keyboard('{ArrowUp}')
  expect(document.activeElement).toBe(row('HB20 000001'))
})

/** Opens the page with a server that resolves each conflict, and returns the ids of the resolved ones. */
/** Opens the page with conflicts that can be resolved. The first page of the server's list lacks the conflicts in `onNextPage`. */
async function openResolvable(onNextPage: number[] = []) {
  signInAs(LEADER)
  const resolved: number[] = []
  const vehicle = { ...conflict(1), parking_space: 'B-204', version: 2, status: 'ok' }
  stubServer({
    'GET /conflicts': () => {
      const conflicts = listed.filter(({ id }) => !resolved.includes(id))
      const page = conflicts.filter(({ id }) => !onNextPage.includes(id))
      return { conflicts: page, meta: { page_index: 0, per_page: 50, total_count: conflicts.length + onNextPage.length } }
    },
    ...Object.fromEntries(listed.map(({ id }) => [`GET /vehicles/${id}`, { ...vehicle, id }])),
    ...Object.fromEntries(listed.map(({ id }) => [`POST /conflicts/${id}/settle`, () => {
      resolved.push(id)
      return { ...vehicle, id }
    }])),
  })
  const person = renderPage(ConflictsPage, '/conflicts', '/conflicts')
  await screen.findByRole('table', { name: 'Conflicts' })
  const rows = () => screen.getAllByRole('row').flatMap((row) => within(row).queryAllByRole('link', { name: /^HB20/ }).map(({ textContent }) => textContent))
  const row = (vin: string) => expectPresent(screen.getByRole('link', { name: vin }).closest('tr'))
  return { person, resolved, rows, row }
}

const later = (ms: number) => new Promise((soon) => { setTimeout(soon, ms) })
const DOUBLE_CLICK_MS = 600

test('a resolved conflict keeps its place, and a double click resolves no other one', async () => {
  const { person, resolved, rows, row } = await openResolvable()
  const before = rows()
  await person.dblClick(screen.getByRole('button', { name: 'Keep ok by 1005 for HB20 000001' }))
  await waitFor(() => expect(row('HB20 000001').textContent).toContain('Kept'))
  expect(rows()).toEqual(before)
  expect(screen.getAllByRole('rowheader').map(({ textContent }) => textContent)).toEqual(['Airbag 1', 'Brakes 1'])
  expect(screen.getByText('HB20 000001: conflito resolvido.')).toBeTruthy()
  expect(resolved).toEqual([1])
})

test('a conflict that newer ones moved to the next page still shows its decision', async () => {
  const onNextPage: number[] = []
  const { person, resolved, row } = await openResolvable(onNextPage)
  onNextPage.push(1)
  await person.click(screen.getByRole('button', { name: 'Keep ok by 1005 for HB20 000001' }))
  await waitFor(() => expect(row('HB20 000001').textContent).toContain('Kept'))
  expect(resolved).toEqual([1])
})

test('a key pressed twice resolves one conflict', async () => {
  const { person, resolved, row } = await openResolvable()
  row('HB20 000001').focus()
  await person.keyboard('1')
  await later(130)
  await person.keyboard('1')
  await later(130)
  expect(document.activeElement).toBe(row('HB20 000003'))
  expect(resolved).toEqual([1])
  await later(DOUBLE_CLICK_MS)
  await person.keyboard('1')
  await waitFor(() => expect(resolved).toEqual([1, 3]))
})

test('conflicts keep their places while new ones come and others end, except those moved to the next page', () => {
  const [first, second, third] = [conflict(9), conflict(8), conflict(7)]
  const shown = mergeOpenConflicts([first, second, third], [conflict(10), { ...third, theirs: 'Repair' }])
  expect(shown.map(({ id, theirs }) => [id, theirs])).toEqual([[9, 'ng'], [8, 'ng'], [7, 'Repair'], [10, 'ng']])
  expect([...listResolvedConflictIds(shown, [conflict(10), third], true)]).toEqual([9, 8])
  expect([...listResolvedConflictIds(shown, [conflict(10), second], false)]).toEqual([9])
  expect(mergeOpenConflicts(shown, [])).toEqual([])
})

test('the digits that a hand scanner types keep no value', async () => {
  const { row, settled } = await open()
  for (const [index, key] of [...'121'].entries()) {
    const press = createEvent.keyDown(row('HB20 000001'), { key })
    Object.defineProperty(press, 'timeStamp', { value: 60_000 + index * 5 }) // a scanner's pace, however slow the test runs
    fireEvent(row('HB20 000001'), press)
  }
  await new Promise((soon) => { setTimeout(soon, 200) })
  expect(settled()).toEqual([])
})

test('a key counts only with a pause before and after it', async () => {
  const acted: string[] = []
  const take = createScannerTypingFilter()
  for (const [key, at] of [['a', 0], ['b', 30], ['c', 200]] as const) take(at, () => acted.push(key))
  await new Promise((soon) => { setTimeout(soon, 200) })
  expect(acted).toEqual(['c'])
})

test('campaigns come in the order of their newest conflict', () => {
  expect(groupConflictsByCampaign(listed).map(({ name, conflicts }) => [name, conflicts.map(({ id }) => id)])).toEqual([['Airbag', [1, 3]], ['Brakes', [2]]])
})
