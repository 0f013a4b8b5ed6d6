import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { expect, test } from 'vitest'

const SOURCE = import.meta.dirname
const GENERATED = 'api/schema.d.ts'
const LONGEST = 250
const SHARED = ['api', 'ui', 'lib']

interface SourceFile {
  path: string
  text: string
}

const files: SourceFile[] = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.(tsx?|css)$/.test(path) && path !== GENERATED)
  .map((path) => ({ path: path.replaceAll('\\', '/'), text: readFileSync(join(SOURCE, path), 'utf8') }))
const scripts = files.filter(({ path }) => /\.tsx?$/.test(path) && !path.endsWith('.test.ts') && !path.endsWith('.test.tsx'))

/** The modules of our own that a file imports, as paths from src. */
function importsOf({ path, text }: SourceFile): string[] {
  const specifiers = [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map(([, specifier]) => specifier ?? '')
  const own = specifiers.filter((specifier) => specifier.startsWith('.') || specifier.startsWith('@/'))
  return own.map((specifier) =>
    specifier.startsWith('@/') ? specifier.slice(2) : relative(SOURCE, join(SOURCE, path, '..', specifier)).replaceAll('\\', '/'),
  )
}

const areaOf = (path: string) => path.split('/')[0] ?? ''
const featureOf = (path: string) => path.split('/').slice(0, 2).join('/')

function foreign(from: SourceFile, allowed: (target: string) => boolean): string[] {
  return importsOf(from).filter((target) => !allowed(target)).map((target) => `${from.path} imports ${target}`)
}

test('no file is longer than 250 lines', () => {
  expect(files.filter(({ text }) => text.split('\n').length > LONGEST + 1).map(({ path }) => path)).toEqual([])
})

test('a feature imports only api, ui, lib and its own folder', () => {
  const features = scripts.filter(({ path }) => areaOf(path) === 'features')
  expect(features.length).toBeGreaterThan(0)
  expect(features.flatMap((file) => foreign(file, (target) => SHARED.includes(areaOf(target)) || featureOf(target) === featureOf(file.path)))).toEqual([])
})

test('lib imports only itself, api and ui only what is below them', () => {
  const layers: Record<string, string[]> = { lib: ['lib'], api: ['lib', 'api'], ui: ['lib', 'ui'] }
  const below = scripts.filter(({ path }) => areaOf(path) in layers)
  expect(below.flatMap((file) => foreign(file, (target) => layers[areaOf(file.path)]?.includes(areaOf(target)) ?? false))).toEqual([])
})

test('nothing is typed any', () => {
  expect(scripts.filter(({ text }) => /(:|<|as|=>)\s*any\b|\bany\[\]/.test(text)).map(({ path }) => path)).toEqual([])
})

test('no effect fetches data', () => {
  const fetching = /useEffect\((?:[^()]|\([^()]*\))*\b(fetch|http\.(GET|PUT)|answer|raw)\(/
  expect(scripts.filter(({ text }) => fetching.test(text)).map(({ path }) => path)).toEqual([])
})

test('each call to the server goes through the api folder', () => {
  expect(scripts.filter(({ path, text }) => areaOf(path) !== 'api' && /\bfetch\(/.test(text)).map(({ path }) => path)).toEqual([])
})

test('pages and styles name no foreign host and hold no inline script', () => {
  const page = readFileSync(join(SOURCE, '..', 'index.html'), 'utf8')
  expect(page).not.toMatch(/https?:|style=|<script(?![^>]*src=)/)
  expect(files.filter(({ path, text }) => path.endsWith('.css') && /url\(\s*['"]?(https?:)?\/\//.test(text))).toEqual([])
})
