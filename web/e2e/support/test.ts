import { test as base } from '@playwright/test'
import { expectNoViolation, violations, watchBrowser } from './policy'

export * from '@playwright/test'

interface Policy {
  /** Whether a violation of the content security policy fails the test. */
  failsOnViolation: boolean
  policy: void
}

/** Playwright's `test`, extended to fail when a page has violated its content security policy. */
export const test = base.extend<Policy, { watchedBrowser: void }>({
  failsOnViolation: [true, { option: true }],
  watchedBrowser: [async ({ browser }, use) => {
    watchBrowser(browser)
    await use()
  }, { scope: 'worker', auto: true }],
  // An automatic fixture ends after the fixtures of the test, so that violations while pages close count as well.
  policy: [async ({ failsOnViolation }, use) => {
    violations.length = 0
    await use()
    if (failsOnViolation) expectNoViolation(violations)
  }, { auto: true }],
})
