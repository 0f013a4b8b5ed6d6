import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { portuguese } from './lib/sentences'

const SERVICES = ['auth', 'campaign', 'vehicle', 'import']
/** Errors that only programs see, or that begin with another error's words. */
const NOT_FOR_PEOPLE = /service secret|upload id belongs|reader cannot be started|vehicles were stored|cannot be written:|cannot be read:|did not come to its end|another service answered|only a person imports|^\{0\}$|^\{\}$|\{field\} \{why\}|the password \{0\}|Invalid credentials|Exceeded login/

const refusals = SERVICES.map((service) => readFileSync(`../${service}-svc/src/error.rs`, 'utf8'))
  .flatMap((source) => [...source.matchAll(/#\[error\("((?:[^"\\]|\\.)*)"/g)])
  .map(([, text]) => (text ?? '').replaceAll(String.raw`\"`, '"'))
  .filter((text) => !NOT_FOR_PEOPLE.test(text))

test('every refusal of the services has Portuguese words', () => {
  expect(refusals.length).toBeGreaterThan(30)
  expect(refusals.filter((text) => portuguese(text.replaceAll(/\{\w*\}/g, 'X1')) === null)).toEqual([])
})
