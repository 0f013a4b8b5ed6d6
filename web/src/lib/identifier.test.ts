import { expect, test } from 'vitest'
import { identifiesVehicle, toIdentifierKey, replaceControlCharacters, findVehiclesByIdentifier } from './identifier'

test('identifiers are compared in upper case, without spaces, hyphens and asterisks', () => {
  expect(toIdentifierKey('*hb20 000-123*')).toBe('HB20000123')
})

test('a part of the identifier suffices, with any spacing', () => {
  expect(identifiesVehicle('0123', 'HB20 000123')).toBe(true)
  expect(identifiesVehicle('hb20000123', 'HB20 000123')).toBe(true)
  expect(identifiesVehicle('0124', 'HB20 000123')).toBe(false)
})

test('an empty text identifies no vehicle', () => {
  expect(identifiesVehicle(' - *', 'HB20 000123')).toBe(false)
})

const vehicles = [{ vin_number: 'HB20 000123' }, { vin_number: 'HB20 100012' }, { vin_number: 'HB20 0001' }]

test('an exact identifier matches its vehicle only, even if other identifiers contain it', () => {
  expect(findVehiclesByIdentifier('hb20-0001', vehicles)).toEqual([{ vin_number: 'HB20 0001' }])
})

test('a part matches every vehicle that contains it', () => {
  expect(findVehiclesByIdentifier('00012', vehicles)).toHaveLength(2)
})

test('a short text matches no vehicle', () => {
  expect(findVehiclesByIdentifier('001', vehicles)).toEqual([])
})

test('separators of a label are shown as spaces', () => {
  expect(replaceControlCharacters('[)>\u001e06\u001dVHB20\u001e\u0004')).toBe('[)> 06 VHB20')
})
