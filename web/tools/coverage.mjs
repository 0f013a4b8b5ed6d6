// Checks the table e2e/COVERAGE.md against test reports: every row names a test, and every named test ran and passed.
//
//   node tools/coverage.mjs e2e=REPORT.json [e2e=REPORT.json]... unit=REPORT.json
//
// The reports are JSON reports of Playwright and Vitest. The table names a test as `FILE: TITLE`, where TITLE may be the name of a
// step of a browser test, or as `unit: FILE: TITLE`. Prints every error and exits with 1 if there is one.
import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Returns the tests that a coverage table names, and the errors in its form. Each heading states how many numbered rows follow. */
export function readTable(text) {
  const rows = []
  const faults = []
  let heading = null
  const end = () => {
    if (heading !== null && heading.rows !== heading.count) faults.push(`"${heading.name}" states ${heading.count} rows and has ${heading.rows}`)
  }
  for (const line of text.split('\n')) {
    const [, name, count] = /^#+ (.+?)(?: \((\d+) rows?\))?$/.exec(line) ?? []
    if (name !== undefined) {
      end()
      heading = { name, count: Number(count ?? 0), rows: 0 }
    } else if (/^\| \d/.test(line) && heading !== null) {
      const [number, sentence, tests] = line.replace(/^\| /, '').replace(/ ?\|$/, '').split(' | ')
      heading.rows++
      if (Number(number) !== heading.rows) faults.push(`"${heading.name}": row ${number} stands where ${heading.rows} belongs`)
      const named = (tests ?? '').split('<br>').map((test) => test.trim()).filter(Boolean)
      if (named.length === 0) faults.push(`"${heading.name}" ${number} has no test: ${sentence}`)
      rows.push(...named)
    }
  }
  end()
  return { rows, faults }
}

const steps = (result) => (result.steps ?? []).flatMap((step) => [step, ...steps(step)])

/** Returns for each test and step of a Playwright report whether each of its runs passed, by `FILE: TITLE`. */
export function readBrowserOutcomes(report) {
  const outcomes = new Map()
  const add = (name, passed) => outcomes.set(name, [...(outcomes.get(name) ?? []), passed])
  const visit = (suite, file) => {
    for (const spec of suite.specs ?? []) {
      for (const test of spec.tests) {
        // A skipped test has no result that passed. A flaky test has failed at least once.
        add(`${file}: ${spec.title}`, test.status === 'expected' && test.results.some((result) => result.status === 'passed'))
        for (const result of test.results) for (const step of steps(result)) add(`${file}: ${step.title}`, step.error === undefined)
      }
    }
    for (const inner of suite.suites ?? []) visit(inner, file)
  }
  for (const suite of report.suites) visit(suite, basename(suite.file, '.spec.ts'))
  return outcomes
}

/** Returns for each test of a Vitest report whether it passed, by `unit: FILE: TITLE`. */
export function readUnitOutcomes(report) {
  const tests = report.testResults.flatMap((file) => file.assertionResults.map((test) => [`unit: ${basename(file.name).replace(/\.test\.tsx?$/, '')}: ${test.fullName}`, [test.status === 'passed']]))
  return new Map(tests)
}

/** Returns the errors of a coverage table: those of its form, and the named tests that did not run, were skipped or failed. */
export function findFaults({ rows, faults }, reports) {
  const outcomes = (name) => reports.flatMap((report) => report.get(name) ?? [])
  const missing = rows.filter((name) => outcomes(name).length === 0).map((name) => `did not run: ${name}`)
  const failed = rows.filter((name) => outcomes(name).includes(false)).map((name) => `was skipped or failed: ${name}`)
  return [...faults, ...new Set([...missing, ...failed])]
}

/** Returns the titles of the tests without an assertion in the source of a browser test file. */
export function findTestsWithoutAssertion(source) {
  const bodies = source.split(/\n\s*test\(/).slice(1)
  const asserts = /\b(expect\w*[(.]|fails\(|arrived\(|reads\()/
  return bodies.filter((body) => !asserts.test(body)).map((body) => /'([^']*)'/.exec(body)?.[1] ?? body.slice(0, 40))
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const folder = join(import.meta.dirname, '..', 'e2e')
  const reports = process.argv.slice(2).map((argument) => {
    const [, kind, path] = /^(e2e|unit)=(.+)$/.exec(argument) ?? []
    if (path === undefined) throw new Error(`not e2e=FILE or unit=FILE: ${argument}`)
    const report = JSON.parse(readFileSync(path, 'utf8'))
    return kind === 'e2e' ? readBrowserOutcomes(report) : readUnitOutcomes(report)
  })
  const table = readTable(readFileSync(join(folder, 'COVERAGE.md'), 'utf8'))
  const faults = findFaults(table, reports)
  for (const fault of faults) console.error(fault)
  console.log(`coverage: ${table.rows.length} tests named, ${faults.length} faults`)
  process.exitCode = faults.length === 0 ? 0 : 1
}
