import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { loadavg } from 'node:os'
import { test, type Page } from '@playwright/test'
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader'
import { computeScanRegion } from '../src/features/scanner/scanRegion'
import { listUnmodifiedPassReaderOptions, SCANNER_DECODER_SETTINGS } from '../src/features/scanner/decoderSettings'
import { createUnmodifiedPass } from '../src/features/scanner/decodePasses'
import { cropPicture, encodePgm } from '../src/features/scanner/pixels'
import { createEmptyScene, renderScene, createLabelScene, PICTURE_SIZE, runWithFilm, type Scene } from './support/film'
import { findCarAt, openOnPhone, importYard } from './support/yard'

const HERE = 'HB20 000123'
const ROUNDS = Number(process.env.ROUNDS ?? 20)
const SCENES: [string, Scene][] = [
  ['Code 128', createLabelScene('Code128', HERE)],
  ['Code 39', createLabelScene('Code39', HERE)],
  ['Code 39 at 30°', createLabelScene('Code39', HERE, { turn: 30 })],
  ['Data Matrix', createLabelScene('DataMatrix', HERE)],
]

interface Round {
  /** Milliseconds from the tap on Scan to the filled field. */
  taken: number
  longest: number
  unmodifiedMs: number[]
}

/** Records the decoding times that the worker reports, and the long tasks of the page. */
const watch = (page: Page) =>
  page.addInitScript(() => {
    const unmodifiedMs: number[] = []
    const long: number[] = []
    Object.assign(window, { unmodifiedMs, long })
    new PerformanceObserver((list) => long.push(...list.getEntries().map(({ duration }) => duration))).observe({ type: 'longtask' })
    const Original = window.Worker
    window.Worker = class extends Original {
      constructor(url: string | URL, options?: WorkerOptions) {
        super(url, options)
        this.addEventListener('message', ({ data }: MessageEvent<{ kind: string; decoded?: { unmodifiedPassMs: number | null } }>) => {
          if (data.decoded?.unmodifiedPassMs) unmodifiedMs.push(data.decoded.unmodifiedPassMs)
        })
      }
    }
  })

/** Taps Scan once and measures the time in the page. */
const once = (page: Page): Promise<Round> =>
  page.evaluate(async (expected) => {
    const { unmodifiedMs, long } = window as unknown as { unmodifiedMs: number[]; long: number[] }
    const field = document.querySelector<HTMLInputElement>('form input')
    const button = [...document.querySelectorAll('button')].find(({ textContent }) => textContent === 'Scan')
    unmodifiedMs.length = 0
    long.length = 0
    const start = performance.now()
    button?.click()
    const filled = () => field?.value === expected || performance.now() - start > 10_000
    while (!filled()) await new Promise(requestAnimationFrame)
    const taken = performance.now() - start
    await new Promise((later) => setTimeout(later, 100))
    return { taken, longest: Math.max(0, ...long), unmodifiedMs: [...unmodifiedMs] }
  }, HERE)

const sorted = (values: number[]) => values.toSorted((a, b) => a - b)
const median = (values: number[]) => sorted(values)[values.length >> 1] ?? 0
const shown = (ms: number) => `${ms.toFixed(0)} ms`

/** Returns the milliseconds of processor time that `act` takes, which vary less on a busy machine than wall-clock time. */
async function spent(act: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage()
  await act()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

test('an unmodified pass over the finder, warm, in processor time', async () => {
  const engine = readFileSync(createRequire(import.meta.url).resolve('zxing-wasm/reader/zxing_reader.wasm'))
  prepareZXingModule({ overrides: { wasmBinary: new Uint8Array(engine).buffer } })
  const { left, top, side } = computeScanRegion(PICTURE_SIZE, PICTURE_SIZE)
  for (const [name, scene] of [...SCENES, ['nothing', createEmptyScene()] as const]) {
    const picture = cropPicture(await renderScene(scene, 0), left, top, side, side)
    const turns: number[][] = []
    for (const frame of listUnmodifiedPassReaderOptions(SCANNER_DECODER_SETTINGS).keys()) {
      const { options } = createUnmodifiedPass(picture, frame)
      const times: number[] = []
      for (let round = 0; round < 3 * ROUNDS; round++) times.push(await spent(() => readBarcodes(encodePgm(picture), options)))
      turns.push(times)
    }
    console.warn(`${name}: unmodified pass ${turns.map((times) => median(times).toFixed(1)).join(', ')} ms in turn, median ${median(turns.flat()).toFixed(1)} ms; load ${loadavg()[0]?.toFixed(1)}`)
  }
})

test('from the tap on Scan to the filled field', async ({ request, baseURL }) => {
  test.setTimeout(900_000)
  const yard = await importYard(request, [HERE, 'HB20 000124'])
  for (const [name, scene] of SCENES) {
    await runWithFilm([scene], async (browser) => {
      const page = await openOnPhone(browser, baseURL ?? '', '/campaign-home')
      await watch(page)
      const rounds: Round[] = []
      for (let round = 0; round < ROUNDS; round++) {
        const engine = page.waitForResponse((response) => response.url().endsWith('.wasm'))
        await page.goto(`/vehicle/${findCarAt(yard, 'A-1').id}`)
        await page.evaluate(() => localStorage.clear())
        await page.reload()
        await (await engine).finished()
        await page.getByRole('button', { name: 'Scan', exact: true }).waitFor()
        await page.waitForTimeout(500) // the pause of a person before the tap
        rounds.push(await once(page))
      }
      const taken = rounds.map((round) => round.taken)
      const unmodifiedMs = rounds.flatMap((round) => round.unmodifiedMs)
      console.warn(`${name}: median ${shown(median(taken))}, worst ${shown(Math.max(...taken))}; longest page task ${shown(Math.max(...rounds.map(({ longest }) => longest)))}; unmodified pass best ${Math.min(...unmodifiedMs).toFixed(1)} ms, median ${median(unmodifiedMs).toFixed(1)} ms; load ${loadavg()[0]?.toFixed(1)}`)
    }, 30)
  }
})
