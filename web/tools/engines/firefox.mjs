// Drives Debian's Firefox by WebDriver BiDi.
import { launch } from 'puppeteer-core'
import { PHONE, WAIT_MS } from './limits.mjs'

/** Starts Firefox with a simulated camera. Returns the actions that a journey (test of the main tasks) performs. */
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
    // Scrolls the button to the middle, as a person would. The driver would leave it under the bar at the bottom of the screen.
    click: async (path) => {
      await (await find(path)).evaluate((element) => element.scrollIntoView({ block: 'center' }))
      await page.locator(`xpath/${path}`).click()
    },
    type: async (path, text) => (await find(path)).type(text),
    choose: async (path, file) => (await find(path, false)).uploadFile(file),
    close: () => browser.close(),
  }
}
