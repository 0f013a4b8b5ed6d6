import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ALL_SERVER_TRANSLATIONS, translateToPortuguese } from './lib/serverMessageTranslation'

const ROOT = join(import.meta.dirname, '../..')
const CRATES = ['auth-svc', 'campaign-svc', 'vehicle-svc', 'import-svc', 'import-svc/reader', 'gateway', 'proto', 'proto/kit']

/** Files with sentences for readers of the API description and of metrics only. */
const API_DESCRIPTION = /^(?:gateway\/src\/(?:openapi|routes\/openapi_base)|proto\/kit\/src\/telemetry\/(?:metric_help|process_metrics))\.rs$/
/** Sentences that only programs and operators see, that the product specification fixes, or that are only a part of another sentence. */
const NOT_FOR_PEOPLE = /^(?:Invalid credentials|Exceeded login|A campaign can only be imported|The request (?:has no body|body contains|must have exactly)|The (?:query contains|content type|form is not valid|web app is not built)|This (?:path|file) (?:does not|accepts only)|This replica is|A service is unavailable|Failed to select document\. The body|O arquivo deve|Apenas arquivos|Uma campanha com|Documento enviado|Format the column as text|The \{(?:field_name)?\})/

/** Sources of a crate, without comments, unit tests and attributes of the API description. */
function sourcesOf(crate: string): string[] {
  return readdirSync(join(ROOT, crate, 'src'), { recursive: true, encoding: 'utf8' })
    .map((file) => `${crate}/src/${file.replaceAll('\\', '/')}`)
    .filter((file) => file.endsWith('.rs') && !file.endsWith('tests.rs') && !API_DESCRIPTION.test(file))
    .map((file) => readFileSync(join(ROOT, file), 'utf8').split('#[cfg(test)]\nmod ')[0] ?? '')
    .map((source) => source.replaceAll(/^\s*\/\/.*$/gm, '').replaceAll(/description = "[^"]*"/g, '').replaceAll(String.raw`\"`, '”'))
}

const sources = CRATES.flatMap(sourcesOf)
const plain = (text: string) => text.replaceAll('”', '"')

/** A string of the source as a sentence: placeholders of the format filled in, and a subject before a phrase without one. */
function sentenceOf(text: string): string {
  const filled = plain(text).replace('{FORMAT_AS_TEXT_HINT}', 'Format the column as text and type it again.').replaceAll(/\{[^}]*\}/g, 'X1')
  return /^(?:is|has|can|contains|refers) /.test(filled) ? `X1 ${filled}` : filled
}

/** Whether a string of the source is written for people: a phrase that ends in a full stop, or a sentence with more behind it. */
const isSentence = (text: string) => /^(?! ).*[a-z]{2,} .*\.$/.test(text.replaceAll(/\{[^}]*\}/g, '')) || /^[A-Z].*[a-z] .*\. ?\{/.test(text)

const withoutWords = (sentences: string[]) => [...new Set(sentences)].filter((sentence) => translateToPortuguese(sentence) === null)

test('every sentence that the server writes for people has Portuguese words', () => {
  const sentences = sources
    .flatMap((source) => [...source.matchAll(/"([^"\n]*)"/g)].map(([, text]) => text ?? ''))
    .filter((text) => isSentence(text) && !NOT_FOR_PEOPLE.test(text))
    .map(sentenceOf)
  expect(sentences.length).toBeGreaterThan(150)
  expect(withoutWords(sentences)).toEqual([])
})

test('every error of a campaign field has Portuguese words', () => {
  const [fields = ''] = sources.filter((source) => source.includes('pub struct FieldErrors'))
  const phrases = [...fields.matchAll(/Err\((?:format!\()?"([^"]+)"/g)].map(([, text]) => text ?? '')
  expect(phrases.length).toBeGreaterThan(4)
  expect(withoutWords(phrases.map((text) => `The name ${sentenceOf(text).replace(/^X1 /, '')}.`))).toEqual([])
})

/** Places where a source writes the summary of an audit event. */
const SUMMARIES = [
  /summary(?::| =)[^;"|]*?"([^"]+)"/g,
  /\brecord\(tx, now, "([^"]+)"/g,
  /\bnote\(tx, &?act, [\w.]+, "([^"]+)"/g,
  /wrong: "([^"]+)"/g,
  /\("(?:login|lockout|login-failed|page-view)", (?:format!\()?"([^"]+)"/g,
  /\(REJECTED_CALL_KIND, format!\("([^"]+)"/g,
  /=> format!\("((?:import|change) undone[^"]+)"/g,
  /else \{ format!\("(\{\w+\} vehicles [^"]+|ended [^"]+)"/g,
  /event\(format!\("([^"]+)"/g,
  /entry\((?:campaign|set\.campaign), format!\("([^"]+)"/g,
]

test('every summary of an audit event has Portuguese words', () => {
  const summaries = SUMMARIES.flatMap((place) => sources.flatMap((source) => [...source.matchAll(place)].map(([, text]) => text ?? '')))
    .filter((text) => text.includes(' ') && !/^(?:select|insert) /.test(text))
  expect(summaries.length).toBeGreaterThan(30)
  expect(withoutWords(summaries.map((text) => sentenceOf(text)))).toEqual([])
})

test('every translated sentence is still written by the server', () => {
  const written = plain(sources.join('\n'))
  const isWritten = (english: string) => {
    const pieces = english.split(/\{\d\}/).map((piece) => piece.replaceAll(/^[^A-Za-z]+|[^A-Za-z]+$/g, '')).filter((piece) => piece.length > 8)
    return pieces.length === 0 || pieces.some((piece) => written.includes(piece))
  }
  expect(ALL_SERVER_TRANSLATIONS.map(([english]) => english).filter((english) => !isWritten(english))).toEqual([])
})
