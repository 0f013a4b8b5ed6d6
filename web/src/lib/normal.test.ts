import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { keyOf } from './identifier'
import { normal } from './normal'

test('the server and the page have one normal form', () => {
  const cases = JSON.parse(readFileSync('../proto/src/normal-cases.json', 'utf8')) as [string, string, string][]
  expect(cases.length).toBeGreaterThan(1000)
  expect(cases.map(([one]) => [one, normal(one), normal(one, 'NFC')])).toEqual(cases)
})

test('the normal form of a normal form is itself', () => {
  let seed = 1
  const below = (most: number) => {
    seed = (seed * 1103515245 + 12345) % 2147483648
    return Math.floor((seed / 2147483648) * most)
  }
  for (let round = 0; round < 20_000; round++) {
    const written = String.fromCodePoint(...Array.from({ length: below(10) }, () => (below(3) === 0 ? 0x20 + below(0x60) : 0xa0 + below(0x3350))))
    const once = normal(written)
    expect(normal(once)).toBe(once)
  }
})

test('identifiers are compared without blanks, hyphens and asterisks of any kind', () => {
  expect(['*HB20\u00a0000\u2013123*', 'hb20 000-123', 'ＨＢ20000123'].map(keyOf)).toEqual(['HB20000123', 'HB20000123', 'HB20000123'])
})
