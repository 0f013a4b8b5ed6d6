// Measures the sign-in, the campaign picker, a vehicle list and a vehicle on a simulated slow phone, prints the Lighthouse scores, and
// fails when a score is below its goal.
//
// Needs a running Patio with campaigns, such as `patio --demo`, at PATIO_TEST_URL. Signs in with PATIO_ADMIN_HMC and PATIO_ADMIN_PASSWORD.
// Arguments, if any, are the paths of other pages to measure instead, such as `/yard`.
// Each page is measured several times and the median counts, because other processes disturb single runs.
import lighthouse from 'lighthouse'
import { launch } from 'puppeteer-core'

const GOALS = { performance: 95, accessibility: 100, 'best-practices': 100, seo: 100 }
const METRICS = ['first-contentful-paint', 'largest-contentful-paint', 'total-blocking-time', 'cumulative-layout-shift', 'speed-index']
/** Maximum loading time of a page in milliseconds. The live feed keeps the network busy, so that Lighthouse would wait for 45 seconds. */
const MAX_WAIT_MS = 15_000
const RUNS = Number(process.env.LIGHTHOUSE_RUNS ?? 5)
const BASE = process.env.PATIO_TEST_URL ?? 'http://127.0.0.1:8080'

/** Signs in by the API and returns the web storage of the session. */
async function session() {
  const body = JSON.stringify({ hmc: process.env.PATIO_ADMIN_HMC ?? 'admin', password: process.env.PATIO_ADMIN_PASSWORD ?? '' })
  const response = await fetch(`${BASE}/api/sessions`, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  if (!response.ok) throw new Error(`failed to sign in: status ${response.status}: ${await response.text()}`)
  const { token, session_id, seal_key, id, hmc, user_type } = await response.json()
  return { JWT_TOKEN: token, SESSION_ID: session_id, SEAL_KEY: seal_key, user: JSON.stringify({ id, hmc, user_type }) }
}

/** Returns the paths of the vehicle list and of a vehicle of the first campaign. */
async function vehiclePaths({ JWT_TOKEN }) {
  const get = async (path) => (await fetch(`${BASE}/api${path}`, { headers: { authorization: `Bearer ${JWT_TOKEN}` } })).json()
  const [campaign] = (await get('/campaigns?page_index=0&per_page=1')).campaigns ?? []
  if (campaign === undefined) throw new Error('there is no campaign: start Patio with --demo, or import one')
  const [vehicle] = await get(`/vehicles/campaign/${campaign.id}/all`)
  return [`/campaign/${campaign.id}/vehicles`, `/vehicle/${vehicle.id}`]
}

/** Measures a page once, in a new tab with an empty cache. */
async function measured(browser, path, stored) {
  const context = await browser.createBrowserContext()
  const page = await context.newPage()
  await page.goto(`${BASE}/favicon.svg`)
  await page.evaluate((entries) => Object.assign(sessionStorage, entries), stored)
  const { lhr } = await lighthouse(BASE + path, { logLevel: 'error', onlyCategories: Object.keys(GOALS), disableStorageReset: true, maxWaitForLoad: MAX_WAIT_MS }, undefined, page)
  await context.close()
  if (new URL(lhr.finalDisplayedUrl).pathname !== path) throw new Error(`${path} led to ${lhr.finalDisplayedUrl}`)
  return lhr
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]

/** Returns the failed audits of all runs, each once, with category and title. Ignores the category `performance`. */
const complaints = (runs) =>
  new Set(runs.flatMap(({ categories, audits }) =>
    Object.entries(categories).filter(([name]) => name !== 'performance').flatMap(([name, { auditRefs }]) =>
      auditRefs.filter(({ id, weight }) => weight > 0 && audits[id].score !== null && audits[id].score < 1).map(({ id }) => `${name}: ${audits[id].title} (${id})`))))

async function judge(browser, path, stored) {
  const runs = []
  for (let run = 0; run < RUNS; run++) runs.push(await measured(browser, path, stored))
  const scores = Object.keys(GOALS).map((name) => ({ name, all: runs.map(({ categories }) => Math.round(categories[name].score * 100)) }))
  console.log(`\n${path}, median of ${RUNS} runs`)
  for (const { name, all } of scores) console.log(`  ${name.padEnd(24)} ${String(median(all)).padStart(4)} of ${GOALS[name]}   (${all.join(' ')})`)
  for (const id of METRICS) console.log(`  ${id.padEnd(24)} ${runs[0].audits[id].displayValue ?? ''} at first, median ${median(runs.map(({ audits }) => audits[id].numericValue)).toFixed(id.startsWith('cum') ? 3 : 0)}`)
  for (const line of complaints(runs)) console.log(`  ! ${line}`)
  return scores.every(({ name, all }) => median(all) >= GOALS[name])
}

const browser = await launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-background-networking', '--disable-gpu'],
})
try {
  const stored = await session()
  const paths = process.argv.length > 2 ? process.argv.slice(2) : ['/', '/campaign-home', ...(await vehiclePaths(stored))]
  const results = []
  for (const path of paths) results.push(await judge(browser, path, path === '/' ? {} : stored))
  process.exitCode = results.every(Boolean) ? 0 : 1
} finally {
  await browser.close()
}
