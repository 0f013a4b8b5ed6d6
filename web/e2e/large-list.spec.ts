import { expect, test } from '@playwright/test'
import { rowsOver, uploaded } from './support/campaign'
import { supervisor, unique } from './support/people'
import { headersOf } from './support/session'

test('import', async ({ page }) => {
  const headers = await headersOf(page.request, supervisor)
  const t0 = Date.now()
  const rows = rowsOver(100_000)
  const id = await uploaded(page.request, headers, unique('Large'), rows)
  console.log('imported', id, Date.now() - t0)
  expect(id).toBeGreaterThan(0)
})
