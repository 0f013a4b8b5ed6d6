// Tests an import with an inspection, an offline save and a scan in WebKit and Firefox, the engines of iPhones and some desktops.
//
// Needs a running Patio at PATIO_TEST_URL whose supervisor is PATIO_ADMIN_HMC with PATIO_ADMIN_PASSWORD, and Debian's packages
// webkit2gtk-driver, xvfb and firefox-esr. The browser tests in web/e2e run in Chromium.
import assert from 'node:assert/strict'
import { readFileSync, rmSync, writeFileSync, mkdtempSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { prepareZXingModule, writeBarcode } from 'zxing-wasm/writer'
import { startFirefox } from './firefox.mjs'
import { WAIT_MS } from './limits.mjs'
import { startNetwork } from './network.mjs'
import { startWebKit } from './webkit.mjs'

const PATIO = process.env.PATIO_TEST_URL ?? 'http://127.0.0.1:8080'
const SUPERVISOR = { hmc: process.env.PATIO_ADMIN_HMC ?? 'admin', password: process.env.PATIO_ADMIN_PASSWORD ?? '' }
const POLL_MS = 100

const button = (name) => `//button[normalize-space()=${JSON.stringify(name)} or @aria-label=${JSON.stringify(name)}]`
const link = (name) => `//a[normalize-space()=${JSON.stringify(name)} or @aria-label=${JSON.stringify(name)}]`
const text = (words) => `//*[text()[normalize-space()=${JSON.stringify(words)}]]`
/** Element with a VIN. The last characters of the VIN are in an element of their own. */
const vin = ({ vin_number }) => `//*[contains(@class, 'mono')][normalize-space()=${JSON.stringify(vin_number)}]`
const field = (name) => `//input[@aria-label=${JSON.stringify(name)} or @id=//label[contains(., ${JSON.stringify(name)})]/@for or ancestor::label[contains(., ${JSON.stringify(name)})]]`

/** Link to the pending saves. The link's accessible name continues with the state of the network. */
const PENDING_LINK = `//a[starts-with(@aria-label, '1 pending save')]`

/** Waits until a condition holds. Fails with the description `what` after `WAIT_MS`. */
async function until(what, condition) {
  for (const end = Date.now() + WAIT_MS; !(await condition()); await sleep(POLL_MS)) assert.ok(Date.now() < end, what)
}

/** Calls Patio's API with the supervisor's token and returns the response. */
async function api(token, method, path, body) {
  const headers = { 'content-type': 'application/json', ...(token === null ? {} : { authorization: `Bearer ${token}` }) }
  const response = await fetch(`${PATIO}${path}`, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) })
  assert.ok(response.ok, `${method} ${path}: ${response.status}`)
  return response
}

/** Returns an SVG document with a barcode that contains `words`. */
async function drawCode(format, words) {
  const wasm = readFileSync(createRequire(import.meta.url).resolve('zxing-wasm/writer/zxing_writer.wasm'))
  prepareZXingModule({ overrides: { wasmBinary: new Uint8Array(wasm).buffer } })
  return (await writeBarcode(words, { format, scale: 6 })).svg
}

/**
 * Script that replaces the page's camera by a picture of a barcode. It sets a method of the prototype, because WebKit recreates the object
 * `navigator.mediaDevices` after a garbage collection.
 */
const SHOW_CODE = `
  const picture = new Image()
  picture.src = 'data:image/svg+xml,' + encodeURIComponent(values[0])
  await picture.decode()
  const canvas = Object.assign(document.createElement('canvas'), { width: 720, height: 720 })
  const brush = canvas.getContext('2d')
  const draw = () => {
    brush.fillStyle = 'white'
    brush.fillRect(0, 0, 720, 720)
    brush.drawImage(picture, 160, 160, 400, 400)
  }
  draw()
  setInterval(draw, 100)
  MediaDevices.prototype.getUserMedia = async () => canvas.captureStream(10)
`

/** Identifies the vehicle of the page by typing its identifier, and chooses a status. Switches to manual mode unless the tab uses it. */
async function inspect(engine, vehicle, status) {
  await engine.find(vin(vehicle))
  const isLocked = await engine.run(`return document.querySelector('input[enterkeyhint=done]').readOnly`)
  if (isLocked) await engine.click(button('Manual'))
  await engine.type(field('Vehicle identifier'), vehicle.vin_number.slice(-6))
  await engine.click(button(status))
}

for (const [name, startEngine] of [['WebKit', startWebKit], ['Firefox', startFirefox]]) {
  describe(name, () => {
    /** Vehicles of the campaign. The first one is the vehicle that the app opens first. */
    let vehicles
    let engine, network, folder, token, campaign
    const stored = async ({ id }) => (await api(token, 'GET', `/api/vehicles/${id}`)).json()

    before(async () => {
      folder = mkdtempSync(join(tmpdir(), 'patio-engines-'))
      network = await startNetwork(PATIO)
      engine = await startEngine()
      token = (await (await api(null, 'POST', '/api/sessions', SUPERVISOR)).json()).token
    })
    // Prints the text of the screen, which says more about a failed step than the path of a missing element.
    afterEach(async (step) => {
      await network.restore()
      if (step.error != null) console.error(`${name} shows: ${await engine.run('return `${location.pathname} ${document.body.innerText.replace(/\\s+/g, " ")}`')}`)
    })
    after(async () => {
      await engine?.close()
      await network?.stop()
      if (campaign !== undefined) await api(token, 'DELETE', `/api/campaigns/${campaign}`, {})
      rmSync(folder, { recursive: true, force: true })
    })

    test(`${name}: a campaign is imported and a vehicle inspected`, async () => {
      const file = join(folder, 'campaign.xlsx')
      writeFileSync(file, Buffer.from(await (await api(token, 'GET', '/api/documents/template')).arrayBuffer()))
      await engine.open(network.url)
      await engine.type(field('HMC'), SUPERVISOR.hmc)
      await engine.type(field('Password'), SUPERVISOR.password)
      await engine.click(button('Sign in'))
      // The sign-in is still loading code at this point, so the test waits before it opens another address.
      await until('the home page opens', async () => (await engine.run('return location.pathname')) === '/campaign-home')
      await engine.open(`${network.url}/import`)
      await engine.choose(field('Campaign file'), file)
      await engine.click(button('Upload campaign'))
      await engine.click(link('Open campaign'))
      await until('the campaign opens', async () => /\/campaign\/\d+$/.test(await engine.run('return location.pathname')))
      campaign = Number((await engine.run('return location.pathname')).split('/').at(-1))
      vehicles = await (await api(token, 'GET', `/api/vehicles/campaign/${campaign}/all`)).json()
      await engine.click(button('Start campaign'))
      await until('the first vehicle opens', async () => /\/vehicle\/\d+$/.test(await engine.run('return location.pathname')))
      const first = Number((await engine.run('return location.pathname')).split('/').at(-1))
      vehicles.sort((a, b) => Number(b.id === first) - Number(a.id === first))
      await inspect(engine, vehicles[0], 'ok')
      await engine.click(button('Save and Exit'))
      await until('the save arrives', async () => (await stored(vehicles[0])).status === 'ok')
    })

    test(`${name}: a save without a network is kept through a reload and sent once the network is back`, async () => {
      const vehicle = vehicles[1]
      await engine.open(`${network.url}/vehicle/${vehicle.id}`)
      await until('the service worker controls the page', () => engine.run('return navigator.serviceWorker.controller !== null'))
      await engine.find(vin(vehicle))
      await network.cut()
      await inspect(engine, vehicle, 'ng')
      await engine.click(button('Save and Exit'))
      await engine.find(PENDING_LINK)
      await engine.reload()
      await engine.find(PENDING_LINK)
      assert.equal((await stored(vehicle)).inspected, false)
      await network.restore()
      await until('the save arrives', async () => (await stored(vehicle)).status === 'ng')
      await until('nothing is pending', async () => !(await engine.run(`return document.querySelector('a[href="/outbox"]').ariaLabel.includes('pending')`)))
    })

    test(`${name}: the camera opens, and a code in front of it identifies the vehicle`, async () => {
      const vehicle = vehicles[2]
      const open = async () => {
        await engine.open(`${network.url}/vehicle/${vehicle.id}`)
        await engine.find(vin(vehicle))
      }
      await open()
      await engine.click(button('Scan'))
      await until('the simulated camera shows a picture', () => engine.run(`return (document.querySelector('video')?.videoWidth ?? 0) > 0`))
      await open()
      await engine.run(SHOW_CODE, await drawCode('QRCode', vehicle.vin_number))
      await engine.click(button('Scan'))
      await engine.find(text('O identificador confere com este veículo.'))
    })
  })
}
