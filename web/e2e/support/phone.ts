import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, type BrowserContext, type Page } from '@playwright/test'
import { watchContext } from './policy'
import { PHONE } from './screenshots'

const SWITCHES = ['--headless=new', '--no-sandbox', '--disable-dev-shm-usage', '--disable-background-networking', '--disable-gpu', '--remote-debugging-port=0', '--lang=pt-BR']

/** Browser with its own profile folder, which can be killed and restarted. */
export interface RunningPhone {
  context: BrowserContext
  page: Page
  /** Kills the browser without closing its pages, as when the battery fails. */
  kill: () => Promise<void>
}

export const createProfileFolder = (): string => mkdtempSync(join(tmpdir(), 'patio-phone-'))
export const deleteProfileFolder = (disk: string): void => rmSync(disk, { recursive: true, force: true, maxRetries: 5 })

/** Returns the debugging address of a browser that was just started. */
const addressOf = (browser: ChildProcess): Promise<string> =>
  new Promise((resolve, reject) => {
    let said = ''
    browser.stderr?.on('data', (text: Buffer) => {
      said += text.toString()
      const address = /DevTools listening on (ws:\S+)/.exec(said)?.[1]
      if (address !== undefined) resolve(address)
    })
    browser.once('exit', () => reject(new Error(`the browser did not start: ${said}`)))
  })

export async function startPhone(disk: string, ...switches: string[]): Promise<RunningPhone> {
  const browser = spawn(process.env.CHROMIUM ?? '/usr/bin/chromium', [...SWITCHES, `--user-data-dir=${disk}`, `--window-size=${PHONE.width},${PHONE.height}`, ...switches, 'about:blank'], { detached: true, stdio: ['ignore', 'ignore', 'pipe'] })
  const gone = new Promise<void>((resolve) => {
    browser.once('exit', () => resolve())
  })
  const connection = await chromium.connectOverCDP(await addressOf(browser))
  const [context] = connection.contexts()
  if (context === undefined) throw new Error('the browser has no context')
  await watchContext(context)
  const page = context.pages()[0] ?? (await context.newPage())
  await page.emulateMedia({ reducedMotion: 'reduce' }) // a click on a sheet that still moves may press one button and release over another
  await page.setViewportSize(PHONE)
  const kill = async () => {
    if (browser.pid !== undefined && browser.exitCode === null) process.kill(-browser.pid, 'SIGKILL')
    await gone
    await connection.close().catch(() => undefined)
  }
  return { context, page, kill }
}
