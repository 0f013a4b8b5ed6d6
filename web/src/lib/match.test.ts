import { expect, test } from 'vitest'
import { indexOf, match, type Match, type Named } from './match'

const VIN = '9BWZZZ377VT004251'
const named = (...vins: string[]): Named[] => vins.map((vin_number, index) => ({ id: index + 1, vin_number }))
const yard = indexOf(named('HB20 000123', 'HB20 000999', 'HB20 100123', VIN.replace(/^(.{11})/, '$1 '), 'WVWZZZ1JZ 3W386752'))
const idsOf = (found: Match<Named>) => (found.kind === 'one' ? [found.vehicle.id] : found.kind === 'none' ? [] : found.vehicles.map(({ id }) => id))
const find = (text: string) => ({ kind: match(text, yard).kind, ids: idsOf(match(text, yard)) })

test('an equal key names its vehicle, however it is spaced and starred', () => {
  expect(find('*hb20-000123*')).toEqual({ kind: 'one', ids: [1] })
})

test('a key inside a longer text names its vehicle: a link, fields, a rail tag', () => {
  for (const text of ['BAY-HB20 000999', `https://maker.test/v?vin=${VIN}&c=12`, `P/N 5521;${VIN};2026`]) expect(find(text).kind).toBe('one')
})

test('the import mark before a VIN is not part of it', () => {
  expect(find(`I${VIN}`)).toEqual({ kind: 'one', ids: [4] })
})

test('a unique ending of six characters names its vehicle, a shorter one none', () => {
  expect(find('100123')).toEqual({ kind: 'one', ids: [3] })
  expect(find('00999')).toEqual({ kind: 'none', ids: [] })
})

test('an ending that two vehicles share names both and takes none', () => {
  const twins = indexOf(named('HB20 000123', 'CRETA 000123'))
  expect(match('000123', twins)).toEqual({ kind: 'several', vehicles: named('HB20 000123', 'CRETA 000123') })
})

test('a label with two vehicles on it names both', () => {
  expect(find('HB20000123 HB20000999')).toEqual({ kind: 'several', ids: [1, 2] })
})

test('a key that is a part of another one gives way to it', () => {
  expect(idsOf(match('X HB20 0001234', indexOf(named('HB20 000123', 'HB20 0001234'))))).toEqual([2])
})

test('O, I and Q are offered as digits and never taken by themselves', () => {
  expect(find('HB2O OOOI23')).toEqual({ kind: 'perhaps', ids: [1] })
  expect(find('9BWZZZ377VTOO4251')).toEqual({ kind: 'perhaps', ids: [4] })
})

test('what is not in the campaign is nothing', () => {
  expect([find('HB20 555555'), find(' * - '), find('')].map(({ kind }) => kind)).toEqual(['none', 'none', 'none'])
})

test('a scan among 100,000 vehicles is matched in less than 50 ms', () => {
  const many = indexOf(Array.from({ length: 100_000 }, (_, id) => ({ id, vin_number: `HB20 ${String(id).padStart(6, '0')}` })))
  const start = performance.now()
  expect(match('no such car, https://maker.test/a/very/long/link?with=HB2O', many).kind).toBe('none')
  expect(performance.now() - start).toBeLessThan(50)
})
