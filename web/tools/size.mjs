// Fails when what the browser must load first is too large, counted as gzip JavaScript.
import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'

const DIST = new URL('../dist/', import.meta.url)
const manifest = JSON.parse(readFileSync(new URL('.vite/manifest.json', DIST), 'utf8'))
const ENTRY = 'index.html'
const BUDGETS = [
  { what: 'sign-in', limit: 110, modules: [ENTRY, 'src/features/auth/SignInPage.tsx'] },
  { what: 'sign-in to campaign picker', limit: 150, modules: [ENTRY, 'src/features/auth/SignInPage.tsx', 'src/features/campaigns/HomePage.tsx'] },
]

function filesOf(module, seen = new Set()) {
  const chunk = manifest[module]
  if (chunk === undefined) throw new Error(`${module} is not in the manifest`)
  if (seen.has(chunk.file)) return seen
  seen.add(chunk.file)
  for (const imported of chunk.imports ?? []) filesOf(imported, seen)
  return seen
}

const weigh = (file) => gzipSync(readFileSync(new URL(file, DIST)), { level: 9 }).length / 1000

let failed = false
for (const { what, limit, modules } of BUDGETS) {
  const files = new Set(modules.flatMap((module) => [...filesOf(module)]))
  const total = [...files].reduce((sum, file) => sum + weigh(file), 0)
  failed ||= total > limit
  console.log(`${what}: ${total.toFixed(1)} kB of ${limit} kB in ${files.size} files`)
}
process.exitCode = failed ? 1 : 0
