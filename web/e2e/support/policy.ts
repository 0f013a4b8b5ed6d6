import type { Browser, BrowserContext } from '@playwright/test'

/** Violation of the content security policy of a page. */
export interface Violation {
  directive: string
  blocked: string
  page: string
}

const BINDING = 'reportPolicyViolation'
const watched = new WeakSet<BrowserContext>()

/** Violations in all watched pages of this Playwright worker since the test began. */
export const violations: Violation[] = []

/** Records the policy violations in all pages that a context opens from now on. */
export async function watchContext(context: BrowserContext): Promise<void> {
  if (watched.has(context)) return
  watched.add(context)
  await context.exposeBinding(BINDING, (_, violation: Violation) => void violations.push(violation))
  await context.addInitScript((binding) => {
    const report = (window as unknown as Record<string, (violation: object) => void>)[binding]
    addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) => report?.({ directive: effectiveDirective, blocked: blockedURI, page: location.pathname }), true)
  }, BINDING)
}

/** Watches the contexts that a test opens in the browser. */
export function watchBrowser(browser: Browser): Browser {
  const open = browser.newContext.bind(browser)
  browser.newContext = async (options) => {
    const context = await open(options)
    await watchContext(context)
    return context
  }
  return browser
}

/** Throws when a policy was violated; the message names directive, blocked address and page of each violation. */
export function expectNoViolation(found: readonly Violation[]): void {
  if (found.length === 0) return
  const lines = found.map(({ directive, blocked, page }) => `${directive} stopped ${blocked} on ${page}`)
  throw new Error(`the content security policy was violated:\n${lines.join('\n')}`)
}
