import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const FOLDER = join(import.meta.dirname, '..', 'e2e')
const table = readFileSync(join(FOLDER, 'COVERAGE.md'), 'utf8')
const rows = table.split('\n').filter((line) => line.startsWith('| ') && !/^\| (sentence|words|promise) \|/.test(line))
const named = rows.flatMap((row) => (row.split(' | ').at(-1) ?? '').replace(/ \|$/, '').split('<br>'))

test('the coverage table names only browser tests that are there', () => {
  expect(named.length).toBeGreaterThan(100)
  const missing = named.filter((name) => {
    const [, file, title] = /^([\w-]+): (.+)$/.exec(name) ?? []
    return file === undefined || title === undefined || !readFileSync(join(FOLDER, `${file}.spec.ts`), 'utf8').includes(`'${title}'`)
  })
  expect(missing).toEqual([])
})
