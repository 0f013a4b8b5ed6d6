// Drives Debian's Firefox by WebDriver BiDi.
import { launch } from 'puppeteer-core'
import { PHONE, WAIT_MS } from './limits.mjs'

/** Starts Firefox with a simulated camera, and returns the actions of a journey. */
export async function startFirefox() {
  const browser = await launch({
    browser: 'firefox',
    executablePath: process.env.FIREFOX ?? '/usr/bin/firefox-esr',
    headless: true,
    defaultViewport: PHONE,
    extraPrefsFirefox: { 'media.navigator.streams.fake': true, 'media.navigator.permission.disabled': true, 'intl.accept_languages': 'pt-BR' },
  })
  const [first] = await browser.pages()
  const page = first ?? (await browser.newPage())
  page.setDefaultTimeout(WAIT_MS)
  const find = (path, visible = true) => page.waitForSelector(`xpath/${path}`, { visible })
  return {
    open: (url) => page.goto(url),
    reload: () => page.reload(),
    run: (script, ...values) => page.evaluate(`(async (...values) => { ${script} })(...${JSON.stringify(values)})`),
    find: (path) => find(path).then(() => undefined),
    // A person scrolls a button away from the bar at the bottom of the screen; the driver would only scroll it to the edge.
    click: async (path) => {
      await (await find(path)).evaluate((element) => element.scrollIntoView({ block: 'center' }))
      await page.locator(`xpath/${path}`).click()
    },
    type: async (path, text) => (await find(path)).type(text),
    choose: async (path, file) => (await find(path, false)).uploadFile(file),
    close: () => browser.close(),
  }
}
