import { expect, test } from 'vitest'
import { containsFullIdentifier, createIdentifierIndex, matchTextToVehicles, type VehicleMatchResult, type IdentifiableVehicle } from './match'

const VIN = '9BWZZZ377VT004251'
const named = (...vins: string[]): IdentifiableVehicle[] => vins.map((vin_number, index) => ({ id: index + 1, vin_number }))
const yard = createIdentifierIndex(named('HB20 000123', 'HB20 000999', 'HB20 100123', VIN.replace(/^(.{11})/, '$1 '), 'WVWZZZ1JZ 3W386752'))
const idsOf = (found: VehicleMatchResult<IdentifiableVehicle>) => (found.kind === 'one' ? [found.vehicle.id] : found.kind === 'none' ? [] : found.vehicles.map(({ id }) => id))
const find = (text: string) => ({ kind: matchTextToVehicles(text, yard).kind, ids: idsOf(matchTextToVehicles(text, yard)) })

test('an equal key matches its vehicle, with any spaces and asterisks', () => {
  expect(find('*hb20-000123*')).toEqual({ kind: 'one', ids: [1] })
})

test('a key inside a longer text matches its vehicle: a link, fields, a rail tag', () => {
  for (const text of ['BAY-HB20 000999', `https://maker.test/v?vin=${VIN}&c=12`, `P/N 5521;${VIN};2026`]) expect(find(text).kind).toBe('one')
})

test('the import mark before a VIN is not part of it', () => {
  expect(find(`I${VIN}`)).toEqual({ kind: 'one', ids: [4] })
})

test('a unique ending of six characters matches its vehicle, a shorter one does not', () => {
  expect(find('100123')).toEqual({ kind: 'one', ids: [3] })
  expect(find('00999')).toEqual({ kind: 'none', ids: [] })
})

test('an ending that two vehicles share matches both and selects none', () => {
  const twins = createIdentifierIndex(named('HB20 000123', 'CRETA 000123'))
  expect(matchTextToVehicles('000123', twins)).toEqual({ kind: 'several', vehicles: named('HB20 000123', 'CRETA 000123') })
})

test('a label with two identifiers matches both', () => {
  expect(find('HB20000123 HB20000999')).toEqual({ kind: 'several', ids: [1, 2] })
})

test('a longer key is preferred to a key that it contains', () => {
  expect(idsOf(matchTextToVehicles('X HB20 0001234', createIdentifierIndex(named('HB20 000123', 'HB20 0001234'))))).toEqual([2])
})

test('O, I and Q are matched as digits only with confirmation', () => {
  expect(find('HB2O OOOI23')).toEqual({ kind: 'lookAlike', ids: [1] })
  expect(find('9BWZZZ377VTOO4251')).toEqual({ kind: 'lookAlike', ids: [4] })
})

test('an identifier that is not in the campaign matches nothing', () => {
  expect([find('HB20 555555'), find(' * - '), find('')].map(({ kind }) => kind)).toEqual(['none', 'none', 'none'])
})

test('a scan among 100,000 vehicles is matched in less than 50 ms', () => {
  const many = createIdentifierIndex(Array.from({ length: 100_000 }, (_, id) => ({ id, vin_number: `HB20 ${String(id).padStart(6, '0')}` })))
  const start = performance.now()
  expect(matchTextToVehicles('no such car, https://maker.test/a/very/long/link?with=HB2O', many).kind).toBe('none')
  expect(performance.now() - start).toBeLessThan(50)
})

test('an identifier in a link is found with percent and plus signs, in lower case and with a hyphen', () => {
  for (const vin of ['HB20%20000123', 'HB20+000123', '%48%42%32%30%20000123', 'hb20-000123']) expect(find(`https://dealer.test/v?vin=${vin}&c=RED`)).toEqual({ kind: 'one', ids: [1] })
  expect(find('HTTPS://DEALER.TEST/HB20%20000123/RED').ids).toEqual([1])
  expect(find('https://dealer.test/?a=HB20+000123&b=HB20+000999')).toEqual({ kind: 'several', ids: [1, 2] })
  expect(find('https://dealer.test/%E0%A4%A?vin=HB20+000123').ids).toEqual([1])
})

test('percent and plus signs of Code 39 are not decoded', () => {
  for (const sign of '%$+/') expect(find(`${sign}HB20000123`)).toEqual({ kind: 'one', ids: [1] })
  const hex = createIdentifierIndex(named('BA20 000123', 'º20 000123'))
  expect(idsOf(matchTextToVehicles('%BA20000123', hex))).toEqual([1])
})

test('a field with a full identifier is preferred to an identifier that spans fields', () => {
  const short = createIdentifierIndex(named('X5 123', 'PART5521 HB20'))
  expect(idsOf(matchTextToVehicles('PART5521\u001dHB20\u001dX5 123', short))).toEqual([1])
  expect(idsOf(matchTextToVehicles('PART5521\u001dHB20 \u001dRED', short))).toEqual([2])
})

test('full identifiers are distinguished from parts and look-alikes', () => {
  expect(['HB20 000123', `https://maker.test/v?vin=${VIN}`, `I${VIN}`, '100123', 'HB2O OOOI23', 'RED'].map((text) => containsFullIdentifier(text, yard))).toEqual([true, true, true, false, false, false])
})
