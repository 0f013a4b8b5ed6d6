import { expect, test } from 'vitest'
import { freshDraft, merged, readDraft, rebased, writeDraft } from './drafts'
import { changeOf, fieldsOf, FREE } from './fields'

const seen = { status: '', operator_notes: '', admin_notes: 'from QC', vin_number: 'HB20 000123', parking_space: 'A-2', version: 4 }
const entry = { ...freshDraft(seen), identifier: '0123', status: 'ok' }
const current = { ...seen, status: 'ng', operator_notes: 'scratched door', version: 5 }

test('what one did not change oneself stays as the other has saved it', () => {
  expect(merged(entry, current)).toEqual({ ...entry, operator_notes: 'scratched door', version: 5, base: fieldsOf(current) })
})

test('of an entry whose base nobody knows every field is one\'s own', () => {
  const { base: _, ...old } = entry
  expect(merged(old, current)).toMatchObject({ status: 'ok', operator_notes: '', version: 5 })
  expect(rebased(old, current)).toBe(old)
})

test('an entry follows what others save in the fields that it leaves alone, and keeps its own with what was seen of them', () => {
  const now = rebased(entry, current)
  expect(now).toMatchObject({ status: 'ok', operator_notes: 'scratched door' })
  expect(changeOf(now.base ?? seen, now)).toEqual({ base: { status: '' }, wanted: { status: 'ok' } })
})

test('a change names only what differs, and only what one may change', () => {
  const wanted = { ...seen, status: 'ng', admin_notes: 'mine' }
  expect(changeOf(seen, wanted)).toEqual({ base: { status: '', admin_notes: 'from QC' }, wanted: { status: 'ng', admin_notes: 'mine' } })
  expect(changeOf(seen, wanted, FREE)).toEqual({ base: { status: '' }, wanted: { status: 'ng' } })
  expect(changeOf(seen, seen)).toEqual({ base: {}, wanted: {} })
})

test('a draft with half a base is no draft', () => {
  writeDraft('3', 7, entry)
  expect(readDraft('3', 7)).toEqual(entry)
  localStorage.setItem('draft:3:7', JSON.stringify({ ...entry, base: { status: '' } }))
  expect(readDraft('3', 7)).toBeNull()
})
