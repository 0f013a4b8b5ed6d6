// Drives WebKitGTK's MiniBrowser by the W3C WebDriver protocol, on a virtual display.
import { spawn } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { createServer } from 'node:net'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { PHONE, WAIT_MS } from './limits.mjs'

const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf'
const LIBRARIES = '/usr/lib'
const POLL_MS = 100

/** Returns the path of the newest MiniBrowser that Debian's package installs. */
function findMiniBrowser() {
  const found = readdirSync(LIBRARIES).flatMap((triplet) => {
    try {
      return readdirSync(`${LIBRARIES}/${triplet}`).filter((name) => name.startsWith('webkit2gtk-')).map((name) => `${LIBRARIES}/${triplet}/${name}/MiniBrowser`)
    } catch {
      return []
    }
  })
  const newest = found.toSorted().at(-1)
  if (newest === undefined) throw new Error('no MiniBrowser: install webkit2gtk-driver')
  return newest
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  await once(server, 'close')
  return port
}

/** Starts a virtual display, which chooses a free display number. Returns the process and the display number. */
async function startDisplay() {
  const display = spawn('Xvfb', ['-displayfd', '3', '-screen', '0', '1280x1024x24', '-nolisten', 'tcp'], { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] })
  const [number] = await once(display.stdio[3], 'data')
  return { display, number: `:${String(number).trim()}` }
}

/** Sends a WebDriver command and returns the value of the response. */
async function send(method, url, body) {
  const response = await fetch(url, { method, signal: AbortSignal.timeout(2 * WAIT_MS), ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }) })
  const { value } = await response.json()
  if (!response.ok) throw Object.assign(new Error(`${method} ${new URL(url).pathname}: ${value.error}: ${value.message}`), { code: value.error })
  return value
}

/** Repeats an action while its element is missing, covered or being replaced. Fails when the element is not ready after `WAIT_MS`. */
async function retry(act) {
  for (const until = Date.now() + WAIT_MS; ; ) {
    try {
      return await act()
    } catch (error) {
      if (Date.now() > until || !['no such element', 'stale element reference', 'element not interactable', 'element click intercepted'].includes(error.code)) throw error
      await sleep(POLL_MS)
    }
  }
}

async function startSession(driver) {
  const browser = { binary: findMiniBrowser(), args: ['--automation', '--enable-mock-capture-devices=true', '--enable-media-stream=true'] }
  const wanted = { capabilities: { alwaysMatch: { 'webkitgtk:browserOptions': browser, timeouts: { script: WAIT_MS, pageLoad: WAIT_MS } } } }
  for (const until = Date.now() + WAIT_MS; ; await sleep(POLL_MS)) {
    try {
      return (await send('POST', `${driver}/session`, wanted)).sessionId
    } catch (error) {
      if (error.code !== undefined || Date.now() > until) throw error // without a code the driver does not listen yet
    }
  }
}

/** Scrolls an element to the middle of the window and waits until it no longer moves, because the driver clicks on a fixed point. */
async function centre(element) {
  const top = () => element.getBoundingClientRect().top
  for (let before = Number.NaN; before !== top();) {
    element.scrollIntoView({ block: 'center' })
    before = top()
    await new Promise((later) => setTimeout(later, 100))
  }
}

/** Starts MiniBrowser with a simulated camera. Returns the actions that a journey (test of the main tasks) performs. */
export async function startWebKit() {
  const { display, number } = await startDisplay()
  const port = await freePort()
  const driver = spawn('WebKitWebDriver', [`--port=${port}`], { stdio: 'ignore', env: { ...process.env, DISPLAY: number, GDK_BACKEND: 'x11', LIBGL_ALWAYS_SOFTWARE: '1', WEBKIT_DISABLE_COMPOSITING_MODE: '1', LANG: 'C.UTF-8' } })
  const stop = () => [driver, display].forEach((process) => process.kill())
  const id = await startSession(`http://127.0.0.1:${port}`).catch((error) => {
    stop()
    throw error
  })
  const session = `http://127.0.0.1:${port}/session/${id}`
  const post = (path, body) => send('POST', `${session}/${path}`, body)
  await post('window/rect', PHONE)
  const find = (path) => retry(async () => (await post('element', { using: 'xpath', value: path }))[ELEMENT])
  const onElement = (path, act) => retry(async () => act((await post('element', { using: 'xpath', value: path }))[ELEMENT]))
  const run = (script, ...values) => post('execute/sync', { script: `return (async (...values) => { ${script} })(...arguments)`, args: values })
  return {
    open: (url) => post('url', { url }),
    reload: () => post('refresh', {}),
    run,
    find: (path) => find(path).then(() => undefined),
    // Scrolls the button to the middle, as a person would. The driver would leave it under the bar at the bottom of the screen.
    click: (path) => onElement(path, async (element) => {
      await post('execute/sync', { script: `return (${centre})(arguments[0])`, args: [{ [ELEMENT]: element }] })
      await post(`element/${element}/click`, {})
    }),
    type: (path, text) => onElement(path, (element) => post(`element/${element}/value`, { text })),
    choose: (path, file) => onElement(path, (element) => post(`element/${element}/value`, { text: file })),
    close: async () => {
      await send('DELETE', session).catch(() => undefined)
      stop()
    },
  }
}
