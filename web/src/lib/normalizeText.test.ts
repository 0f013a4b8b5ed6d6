import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { toIdentifierKey } from './identifier'
import { createArrayGuard, parseJson } from './json'
import { normalizeText } from './normalizeText'

const isTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every((text) => typeof text === 'string')

test('the web app computes the same normal form as the server', () => {
  const cases = parseJson(readFileSync('../proto/src/normal-cases.json', 'utf8'), createArrayGuard(isTexts)) ?? []
  expect(cases.length).toBeGreaterThan(1000)
  expect(cases.map(([one = '']) => [one, normalizeText(one), normalizeText(one, 'NFC')])).toEqual(cases)
})

test('normalizing twice gives the same result', () => {
  let seed = 1
  const below = (most: number) => {
    seed = (seed * 1103515245 + 12345) % 2147483648
    return Math.floor((seed / 2147483648) * most)
  }
  for (let round = 0; round < 20_000; round++) {
    const written = String.fromCodePoint(...Array.from({ length: below(10) }, () => (below(3) === 0 ? 0x20 + below(0x60) : 0xa0 + below(0x3350))))
    const once = normalizeText(written)
    expect(normalizeText(once)).toBe(once)
  }
})

test('identifiers are compared without spaces, hyphens and asterisks of any kind', () => {
  expect(['*HB20\u00a0000\u2013123*', 'hb20 000-123', 'ＨＢ20000123'].map(toIdentifierKey)).toEqual(['HB20000123', 'HB20000123', 'HB20000123'])
})
