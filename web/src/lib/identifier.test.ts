import { expect, test } from 'vitest'
import { identifies, keyOf, readable, vehiclesNamed } from './identifier'

test('identifiers are compared in upper case, without blanks, hyphens and asterisks', () => {
  expect(keyOf('*hb20 000-123*')).toBe('HB20000123')
})

test('a part of the identifier suffices, however it is spaced', () => {
  expect(identifies('0123', 'HB20 000123')).toBe(true)
  expect(identifies('hb20000123', 'HB20 000123')).toBe(true)
  expect(identifies('0124', 'HB20 000123')).toBe(false)
})

test('nothing identifies no vehicle', () => {
  expect(identifies(' - *', 'HB20 000123')).toBe(false)
})

const vehicles = [{ vin_number: 'HB20 000123' }, { vin_number: 'HB20 100012' }, { vin_number: 'HB20 0001' }]

test('an exact identifier names its vehicle alone, even where it is a part of others', () => {
  expect(vehiclesNamed('hb20-0001', vehicles)).toEqual([{ vin_number: 'HB20 0001' }])
})

test('a part names every vehicle that has it', () => {
  expect(vehiclesNamed('00012', vehicles)).toHaveLength(2)
})

test('a short entry names nobody', () => {
  expect(vehiclesNamed('001', vehicles)).toEqual([])
})

test('separators of a label are shown as blanks', () => {
  expect(readable('[)>\u001e06\u001dVHB20\u001e\u0004')).toBe('[)> 06 VHB20')
})
