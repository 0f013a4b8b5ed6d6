import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { parseSync } from 'vite'
import { expect, test } from 'vitest'

const SOURCE = import.meta.dirname
const GENERATED = 'api/schema.d.ts'
const MAX_LINES = 250
const LINES_PER_CAST = 1000
/** The folders that a folder may import, besides its own. `app` may import all of them. */
const LAYERS: Record<string, string[]> = { lib: [], api: ['lib'], offline: ['api', 'lib'], ui: ['lib'], features: ['api', 'offline', 'ui', 'lib'] }

interface SourceFile {
  path: string
  text: string
}

const files: SourceFile[] = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.(tsx?|css)$/.test(path) && path !== GENERATED)
  .map((path) => ({ path: path.replaceAll('\\', '/'), text: readFileSync(join(SOURCE, path), 'utf8') }))
const scripts = files.filter(({ path }) => /\.tsx?$/.test(path) && !path.endsWith('.test.ts') && !path.endsWith('.test.tsx'))

/** The modules of this project that a file imports, as paths from `src` as they are written. */
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
  expect(files.filter(({ text }) => text.split('\n').length > MAX_LINES + 1).map(({ path }) => path)).toEqual([])
})

test.each(Object.entries(LAYERS))('%s imports only itself and %j; a feature no other feature', (area, below) => {
  const inside = scripts.filter(({ path }) => areaOf(path) === area)
  expect(inside.length).toBeGreaterThan(0)
  const isAllowed = (path: string, target: string) => below.includes(areaOf(target)) || (area === 'features' ? featureOf(target) === featureOf(path) : areaOf(target) === area)
  expect(inside.flatMap((file) => foreign(file, (target) => isAllowed(file.path, target)))).toEqual([])
})

/** The files that each file imports, also by dynamic and type imports. */
function importGraph(): Map<string, string[]> {
  const paths = new Set(files.map(({ path }) => path))
  const resolve = (target: string) => [target, `${target}.ts`, `${target}.tsx`, `${target}/index.ts`].find((path) => paths.has(path))
  return new Map(scripts.map((file) => [file.path, importsOf(file).flatMap((target) => resolve(target) ?? [])]))
}

/** The groups of nodes that reach each other, by Tarjan's algorithm. */
function ringsOf(graph: Map<string, string[]>): string[][] {
  const index = new Map<string, number>()
  const low = new Map<string, number>()
  const stack: string[] = []
  const rings: string[][] = []
  const lowOf = (node: string) => low.get(node) ?? 0
  function visit(node: string): void {
    index.set(node, index.size)
    low.set(node, index.size - 1)
    stack.push(node)
    for (const next of graph.get(node) ?? []) {
      if (!index.has(next)) visit(next)
      if (stack.includes(next)) low.set(node, Math.min(lowOf(node), lowOf(next)))
    }
    if (lowOf(node) !== index.get(node)) return
    const ring = stack.splice(stack.indexOf(node))
    if (ring.length > 1) rings.push(ring.toSorted())
  }
  for (const node of graph.keys()) if (!index.has(node)) visit(node)
  return rings
}

test('no files import each other in a ring', () => {
  expect(ringsOf(new Map([['a', ['b', 'd']], ['b', ['c']], ['c', ['a']], ['d', ['c', 'e']], ['e', []]]))).toEqual([['a', 'b', 'c', 'd']])
  expect(ringsOf(new Map([['a', ['b', 'c']], ['b', ['d']], ['c', ['d']], ['d', []]]))).toEqual([])
  const graph = importGraph()
  expect([...graph.values()].flat().length).toBeGreaterThan(scripts.length)
  expect(ringsOf(graph)).toEqual([])
})

test('query keys are spelled in one file', () => {
  expect(scripts.filter(({ path, text }) => path !== 'api/queryKeys.ts' && /queryKey: \[\s*'/.test(text)).map(({ path }) => path)).toEqual([])
})

/** The type assertions of a file that the compiler cannot check: `x as T` except `as const`, and `x!`. */
function listCasts({ path, text }: SourceFile): string[] {
  const casts: string[] = []
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    const { type, start, end } = Object.assign({ type: '', start: 0, end: 0 }, node)
    const code = text.slice(start, end)
    if (type === 'TSNonNullExpression' || (type === 'TSAsExpression' && !/\bas const$/.test(code))) casts.push(`${path}: ${code}`)
    Object.values(node).forEach(visit)
  }
  visit(parseSync(path, text).program)
  return casts
}

test('types are asserted with `as` at most once in a thousand lines', () => {
  const casts = scripts.flatMap(listCasts)
  const lines = scripts.reduce((sum, { text }) => sum + text.split('\n').length, 0)
  expect(casts.length, casts.join('\n')).toBeLessThanOrEqual(lines / LINES_PER_CAST)
})

test('a style file belongs to one component, except those of the kit', () => {
  const users = new Map<string, string[]>()
  for (const file of scripts) {
    for (const target of importsOf(file)) if (target.endsWith('.module.css')) users.set(target, [...(users.get(target) ?? []), file.path])
  }
  const own = files.filter(({ path }) => path.endsWith('.module.css') && areaOf(path) !== 'ui').map(({ path }) => path)
  expect(own.length).toBeGreaterThan(0)
  const isOwn = (path: string) => users.get(path)?.length === 1 && users.get(path)?.[0]?.replace(/\.tsx?$/, '.module.css') === path
  expect(own.filter((path) => !isOwn(path))).toEqual([])
})

test('nothing is typed any', () => {
  expect(scripts.filter(({ text }) => /(:|<|as|=>)\s*any\b|\bany\[\]/.test(text)).map(({ path }) => path)).toEqual([])
})

test('no effect fetches data', () => {
  const fetching = /useEffect\((?:[^()]|\([^()]*\))*\b(fetch|fetchRawResponse|apiClient\.(GET|PUT)|unwrap(Empty)?Response)\(/
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
