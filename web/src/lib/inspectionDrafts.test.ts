import { expect, test } from 'vitest'
import { createInspectionDraft, mergeInspectionDraft, readInspectionDraft, rebaseInspectionDraft, writeInspectionDraft } from './inspectionDrafts'
import { diffVehicleFields, pickVehicleFields, OPERATOR_EDITABLE_FIELDS } from './vehicleFields'

const seen = { status: '', operator_notes: '', admin_notes: 'from QC', vin_number: 'HB20 000123', parking_space: 'A-2', version: 4 }
const entry = { ...createInspectionDraft(seen), identifier: '0123', status: 'ok' }
const current = { ...seen, status: 'ng', operator_notes: 'scratched door', version: 5 }

test('merging keeps the values of the other person of fields that the person has not changed', () => {
  expect(mergeInspectionDraft(entry, current)).toEqual({ ...entry, operator_notes: 'scratched door', version: 5, base: pickVehicleFields(current) })
})

test('every field of an entry without a base counts as changed', () => {
  const { base: _, ...old } = entry
  expect(mergeInspectionDraft(old, current)).toMatchObject({ status: 'ok', operator_notes: '', version: 5 })
  expect(rebaseInspectionDraft(old, current)).toBe(old)
})

test('an entry takes new values for unchanged fields, and keeps its own changes with their base', () => {
  const now = rebaseInspectionDraft(entry, current)
  expect(now).toMatchObject({ status: 'ok', operator_notes: 'scratched door' })
  expect(diffVehicleFields(now.base ?? seen, now)).toEqual({ base: { status: '' }, wanted: { status: 'ok' } })
})

test('an entry that replaces a save stays as typed when that save is sent meanwhile', () => {
  const replacing = { ...entry, status: '', replaces: 7 }
  expect(rebaseInspectionDraft(replacing, { ...seen, status: 'ok' })).toMatchObject({ status: '', base: { status: '' } })
})

test('a change contains only fields that differ and that the role may change', () => {
  const wanted = { ...seen, status: 'ng', admin_notes: 'mine' }
  expect(diffVehicleFields(seen, wanted)).toEqual({ base: { status: '', admin_notes: 'from QC' }, wanted: { status: 'ng', admin_notes: 'mine' } })
  expect(diffVehicleFields(seen, wanted, OPERATOR_EDITABLE_FIELDS)).toEqual({ base: { status: '' }, wanted: { status: 'ng' } })
  expect(diffVehicleFields(seen, seen)).toEqual({ base: {}, wanted: {} })
})

test('a draft with an incomplete base is rejected', () => {
  writeInspectionDraft('3', 7, entry)
  expect(readInspectionDraft('3', 7)).toEqual(entry)
  localStorage.setItem('draft:3:7', JSON.stringify({ ...entry, base: { status: '' } }))
  expect(readInspectionDraft('3', 7)).toBeNull()
})
