import { createRowsInYard } from './support/campaign'
import { typeIdentifier, openNotes, openTool } from './support/parts'
import { developer, type Person } from './support/people'
import { expectNoViolation, violations } from './support/policy'
import { DESK, takeScreenshot } from './support/screenshots'
import { openAs, getHeaders, waitForRequests, createUser } from './support/session'
import { expect, test, type APIRequestContext, type Page } from './support/test'
import { COLUMNS, createWorkbookFile } from './support/xlsx'

test.describe('with violations on purpose', () => {
  test.use({ failsOnViolation: false })

  const HARMFUL: [what: string, directive: string, blocked: RegExp, inject: () => void][] = [
    ['an inline script', 'script-src-elem', /^inline$/, () => {
      const script = document.createElement('script')
      script.textContent = 'window.ran = true'
      document.body.append(script)
    }],
    ['a handler in an attribute', 'script-src-attr', /^inline$/, () => {
      const holder = document.createElement('div')
      holder.innerHTML = '<img src="data:," onerror="window.ran = true">'
      document.body.append(holder)
    }],
    ['a javascript: address', 'script-src-elem', /^inline$/, () => {
      const link = document.createElement('a')
      link.href = 'javascript:void(window.ran = true)' // oxlint-disable-line no-script-url -- what must not run
      document.body.append(link)
      link.click()
    }],
    ['a foreign image', 'img-src', /^https:\/\/foreign\.example\/x\.png$/, () => {
      document.body.append(Object.assign(new Image(), { src: 'https://foreign.example/x.png' }))
    }],
  ]

  for (const [what, directive, blocked, inject] of HARMFUL) {
    test(`a policy violation is noticed: ${what}`, async ({ page, browser, baseURL }) => {
      const other = await browser.newContext({ baseURL, serviceWorkers: 'block' })
      for (const shown of [page, await other.newPage()]) {
        violations.length = 0
        await shown.goto('/')
        await expect(shown.getByRole('button', { name: 'Sign in' })).toBeVisible()
        expectNoViolation(violations)
        await shown.evaluate(inject)
        await expect.poll(() => violations).toContainEqual({ directive, blocked: expect.stringMatching(blocked), page: '/' })
        expect(() => expectNoViolation(violations)).toThrow(new RegExp(`^the content security policy was violated:\n${directive} stopped .+ on /`))
        expect(await shown.evaluate(() => 'ran' in window)).toBe(false)
      }
      await other.close()
    })
  }
})

const IMAGE = '<img src=x onerror=x116=1>'
const DRAWING = '<svg onload=x116=1>'

interface Marked {
  mark: string
  person: Person
  campaign: number
  name: string
  vehicle: number
  yard: number
  vin: string
}

/** Creates a campaign and a supervisor with HTML in their texts that would run if a page inserted it as markup. */
async function marked(request: APIRequestContext): Promise<Marked> {
  const mark = `${Date.now().toString(36)}${Math.floor(Math.random() * 1e6)}`
  const person = await createUser(request, { hmc: `${DRAWING}${mark}`, password: 'yard-walk-2026!', user_type: 'admin' })
  const headers = await getHeaders(request, person)
  const name = `${IMAGE} ${mark}`
  const rows = createRowsInYard('K', 2).map(({ serial, space }) => [name, `${IMAGE} part`, `${DRAWING} described`, `${IMAGE} type`, `X${mark.toUpperCase()}`, serial, space])
  const sent = await request.post('/api/documents/upload', { headers, multipart: { documents: createWorkbookFile([COLUMNS, ...rows]) } })
  expect(sent.status(), await sent.text()).toBe(201)
  const { campaign: { id: campaign } } = (await sent.json()) as { campaign: { id: number } }
  const [first] = (await (await request.get(`/api/vehicles/campaign/${campaign}/all`, { headers })).json()) as { id: number; id_yard: number; vin_number: string }[]
  if (first === undefined) throw new Error('no vehicle')
  // Both notes replace an empty one, so the second becomes a conflict.
  for (const operator_notes of [`${DRAWING} first notes`, `${IMAGE} notes`]) {
    const data = { operator_notes, admin_notes: `${DRAWING} admin notes`, base: { operator_notes: '', admin_notes: '' }, on_conflict: 'keep', device_time: new Date().toISOString() }
    expect((await request.put(`/api/vehicles/${first.id}`, { headers, data })).status()).toBe(200)
  }
  return { mark, person, campaign, name, vehicle: first.id, yard: first.id_yard, vin: first.vin_number }
}

/** Returns the screens that show stored texts, with the steps to show them and the expected texts. */
function screensOf({ mark, person: { hmc }, campaign, name, vehicle, yard, vin }: Marked): [path: string, texts: string[], prepare?: (page: Page) => Promise<unknown>][] {
  const search = `search=${encodeURIComponent(mark)}`
  const history = async (page: Page) => (await openTool(page, 'History')).getByRole('searchbox').fill(mark) // other tests import at the same time
  return [
    [`/campaign-home?${search}`, [name, hmc]],
    [`/yard?campaign=${campaign}`, [name]],
    [`/yard/${yard}?campaign=${encodeURIComponent(name)}`, [name]],
    [`/campaign/${campaign}`, [name, hmc, `${DRAWING} described`, `${IMAGE} part`]],
    [`/campaign/${campaign}/vehicles`, [name, `${DRAWING} described`]],
    [`/campaign/${campaign}/walk`, [name]],
    [`/vehicle/${vehicle}`, [hmc, `${DRAWING} first notes`]],
    ['/conflicts', [hmc, `${IMAGE} notes`]],
    [`/campaign-list?${search}`, [name, hmc], history],
    ['/user-management?panel=active', [hmc], (page) => page.getByRole('searchbox').fill(mark)],
    ['/account', [hmc]],
    [`/vehicle/${vehicle}`, [`Notes: ${IMAGE} typed`, vin, name], async (page) => {
      await page.route('**/api/vehicles/*', (route) => (route.request().method() === 'PUT' ? route.abort() : route.fallback()))
      await typeIdentifier(page, vin)
      await page.getByRole('group', { name: 'Select Status' }).getByRole('button', { name: 'ok', exact: true }).click()
      await (await openNotes(page)).fill(`${IMAGE} typed`)
      await page.getByRole('button', { name: 'Save and Exit' }).click()
      await page.getByRole('link', { name: '1 pending save' }).click()
    }],
  ]
}

/** Returns all texts of a page, including the values of its fields. */
const textOf = (page: Page): Promise<string> =>
  page.evaluate(() => [document.body.innerText, ...Array.from(document.querySelectorAll<HTMLInputElement>('input, textarea'), ({ value }) => value)].join('\n'))

test.use({ viewport: DESK })

test('stored names, descriptions, notes and register numbers that are markup show as text and run nothing', async ({ page }) => {
  const stored = await marked(page.request)
  const dialogs: string[] = []
  page.on('dialog', (dialog) => {
    dialogs.push(dialog.message())
    return dialog.dismiss()
  })
  const showsAsText = async (path: string, texts: string[]) => {
    for (const text of texts) await expect.poll(() => textOf(page), `${path} shows ${text}`).toContain(text)
    await waitForRequests(page)
    expect(await page.locator('[onerror], [onload], img[src=x]').count(), path).toBe(0)
    expect(await page.evaluate(() => 'x116' in window), path).toBe(false)
  }
  for (const [path, texts, prepare] of screensOf(stored)) {
    await openAs(page, stored.person, path)
    await prepare?.(page)
    await showsAsText(path, texts)
  }
  await takeScreenshot(page, 'markup-as-text')
  if (developer.password !== '') {
    await openAs(page, developer, `/logs-audit?search=${encodeURIComponent(stored.mark)}`)
    await showsAsText('/logs-audit', [stored.person.hmc, stored.name])
  }
  expect(dialogs).toEqual([])
})
