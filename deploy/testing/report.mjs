// Prints "passed failed skipped" of a test report and appends the seconds of its tests to a file:
//
//   node deploy/testing/report.mjs vitest|playwright|junit REPORT PART SECONDS.tsv
import { appendFileSync, readFileSync } from 'node:fs'

const [kind, path, part, seconds] = process.argv.slice(2)
const text = readFileSync(path, 'utf8')
const report = kind === 'junit' ? null : JSON.parse(text)

/** Tests of Vitest's JSON: `[milliseconds, title, state]`. */
const ofVitest = () =>
  report.testResults.flatMap((file) => file.assertionResults.map((test) => [test.duration ?? 0, test.fullName, test.status]))

/** Tests of Playwright's JSON, whose suites nest. */
const ofPlaywright = (suites, file) =>
  suites.flatMap((suite) => [
    ...(suite.specs ?? []).flatMap((spec) =>
      spec.tests.map((test) => [
        test.results.reduce((sum, result) => sum + result.duration, 0),
        `${file ?? suite.file}: ${spec.title}`,
        { expected: 'passed', unexpected: 'failed', flaky: 'failed' }[test.status] ?? 'skipped',
      ])),
    ...ofPlaywright(suite.suites ?? [], file ?? suite.file),
  ])

const TEST_OF_JUNIT = /<testcase name="([^"]*)" time="([\d.]+)"(?: \w+="[^"]*")*(?:\/>|>([^]*?)<\/testcase>)/g

/** Tests of the XML that Node.js writes in JUnit's format. */
const ofJunit = () =>
  [...text.matchAll(TEST_OF_JUNIT)].map(([, title, time, outcome = '']) => [
    Number(time) * 1000,
    title,
    outcome.includes('<failure') ? 'failed' : outcome.includes('<skipped') ? 'skipped' : 'passed',
  ])

const tests = kind === 'junit' ? ofJunit() : kind === 'vitest' ? ofVitest() : ofPlaywright(report.suites)
const count = (state) => tests.filter((test) => test[2] === state).length
appendFileSync(seconds, tests.map(([time, title]) => `${(time / 1000).toFixed(2)}\t${part}\t${title}\n`).join(''))
const [passed, failed] = [count('passed'), count('failed')]
console.log(passed, failed, tests.length - passed - failed)
