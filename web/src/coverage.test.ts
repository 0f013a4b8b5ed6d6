import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findTestsWithoutAssertion, findFaults, readBrowserOutcomes, readUnitOutcomes, readTable } from '../tools/coverage.mjs'

const FOLDER = join(import.meta.dirname, '..', 'e2e')
const table = (...rows: string[]) => [`## Screens (${rows.length} rows)`, '', '| # | sentence | test |', '|---|---|---|', ...rows].join('\n')
const browser = (status: string, result = 'passed', steps: object[] = []) =>
  readBrowserOutcomes({ suites: [{ file: 'list.spec.ts', suites: [{ specs: [{ title: 'it is listed', tests: [{ status, results: [{ status: result, steps }] }] }] }] }] })

test('the coverage table of the browser tests is well formed', () => {
  const { rows, faults } = readTable(readFileSync(join(FOLDER, 'COVERAGE.md'), 'utf8'))
  expect(faults).toEqual([])
  expect(rows.length).toBeGreaterThan(150)
})

test('every browser test asserts something', () => {
  for (const file of readdirSync(FOLDER).filter((name) => name.endsWith('.spec.ts'))) expect(findTestsWithoutAssertion(readFileSync(join(FOLDER, file), 'utf8')), file).toEqual([])
  expect(findTestsWithoutAssertion("\n  test('nothing', async () => {\n    await page.goto('/')\n  })")).toEqual(['nothing'])
})

test('a table whose tests ran and passed has no fault', () => {
  const units = readUnitOutcomes({ testResults: [{ name: '/src/lib/time.test.ts', assertionResults: [{ fullName: 'it is late', status: 'passed' }] }] })
  const text = table('| 1 | A list. | list: it is listed<br>list: it is opened |', '| 2 | A time. | unit: time: it is late |')
  expect(findFaults(readTable(text), [browser('expected', 'passed', [{ title: 'it is opened' }]), units])).toEqual([])
})

test.each([
  ['a test that is not there', table('| 1 | A list. | list: it is gone |'), browser('expected'), 'did not run: list: it is gone'],
  ['a skipped test', table('| 1 | A list. | list: it is listed |'), browser('skipped', 'skipped'), 'was skipped or failed: list: it is listed'],
  ['a failed test', table('| 1 | A list. | list: it is listed |'), browser('unexpected', 'failed'), 'was skipped or failed: list: it is listed'],
  ['a test that passed at its second try', table('| 1 | A list. | list: it is listed |'), browser('flaky'), 'was skipped or failed: list: it is listed'],
  ['a failed step', table('| 1 | A list. | list: it is opened |'), browser('expected', 'passed', [{ title: 'it is opened', error: {} }]), 'was skipped or failed: list: it is opened'],
  ['a sentence without a test', table('| 1 | A list. |  |'), browser('expected'), '"Screens" 1 has no test: A list.'],
  ['a gap in the numbers', table('| 2 | A list. | list: it is listed |'), browser('expected'), '"Screens": row 2 stands where 1 belongs'],
  ['a row that was taken out', table('| 1 | A list. | list: it is listed |').replace('1 rows', '2 rows'), browser('expected'), '"Screens" states 2 rows and has 1'],
])('%s is a fault', (_, text, report, fault) => {
  expect(findFaults(readTable(text), [report])).toEqual([fault])
})
