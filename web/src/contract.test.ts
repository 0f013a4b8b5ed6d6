import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

test("the types are those of the gateway's contract: if not, `npm run api`", () => {
  const contract: unknown = JSON.parse(readFileSync(join(import.meta.dirname, '../../gateway/openapi.json'), 'utf8'))
  const digest = createHash('sha256').update(JSON.stringify(contract)).digest('hex')
  expect(readFileSync(join(import.meta.dirname, 'api/schema.d.ts'), 'utf8').split('\n')[0]).toContain(digest)
})
