// Prints "passed failed skipped" of a test report, and appends the seconds of its tests and the messages of failed tests to two files:
//
//   node deploy/testing/report.mjs vitest|playwright|junit REPORT PART SECONDS.tsv FAILURES.txt
import { appendFileSync, readFileSync } from 'node:fs'

const [kind, path, part, seconds, failures] = process.argv.slice(2)
const text = readFileSync(path, 'utf8')
const report = kind === 'junit' ? null : JSON.parse(text)

/** Tests of Vitest's JSON: `[milliseconds, title, state, message]`. */
const ofVitest = () =>
  report.testResults.flatMap((file) =>
    file.assertionResults.map((test) => [test.duration ?? 0, test.fullName, test.status, test.failureMessages?.join('\n')]))

/** Tests of Playwright's JSON, whose suites nest. */
const ofPlaywright = (suites, file) =>
  suites.flatMap((suite) => [
    ...(suite.specs ?? []).flatMap((spec) =>
      spec.tests.map((test) => [
        test.results.reduce((sum, result) => sum + result.duration, 0),
        `${file ?? suite.file}: ${spec.title}`,
        { expected: 'passed', unexpected: 'failed', flaky: 'failed' }[test.status] ?? 'skipped',
        test.results.flatMap((result) => (result.errors ?? []).map((error) => error.message)).join('\n'),
      ])),
    ...ofPlaywright(suite.suites ?? [], file ?? suite.file),
  ])

const TEST_OF_JUNIT = /<testcase name="([^"]*)" time="([\d.]+)"(?: \w+="[^"]*")*(?:\/>|>([^]*?)<\/testcase>)/g

const ENTITIES = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' }
const unescaped = (xml) => xml.replace(/&(lt|gt|quot|apos|amp);/g, (_, name) => ENTITIES[name])

/** Tests of the XML that Node.js writes in JUnit's format. */
const ofJunit = () =>
  [...text.matchAll(TEST_OF_JUNIT)].map(([, title, time, outcome = '']) => [
    Number(time) * 1000,
    title,
    outcome.includes('<failure') ? 'failed' : outcome.includes('<skipped') ? 'skipped' : 'passed',
    unescaped(/<failure[^>]*>([^]*?)<\/failure>/.exec(outcome)?.[1] ?? ''),
  ])

const tests = kind === 'junit' ? ofJunit() : kind === 'vitest' ? ofVitest() : ofPlaywright(report.suites)
const count = (state) => tests.filter((test) => test[2] === state).length
appendFileSync(seconds, tests.map(([time, title]) => `${(time / 1000).toFixed(2)}\t${part}\t${title}\n`).join(''))
const COLOURS = /\u001b\[[\d;]*m/g
const LINES_OF_FAILURE = 20
const firstLines = (message = '') => message.replace(COLOURS, '').split('\n').filter((line) => !/^\s+at /.test(line)).slice(0, LINES_OF_FAILURE).join('\n')
const failedTests = tests.filter((test) => test[2] === 'failed')
appendFileSync(failures, failedTests.map(([, title, , message]) => `---- ${part}: ${title}\n${firstLines(message)}\n\n`).join(''))
const [passed, failed] = [count('passed'), count('failed')]
console.log(passed, failed, tests.length - passed - failed)
