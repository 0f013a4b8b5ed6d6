// Measures the OCR with drawn labels. The labels are the same in every run if the same fonts are installed.
//
//   node tools/characters.mjs [COUNT] [FIRST]   labels in ten fonts and three grades of blur and slant: no wrong vehicle may be identified
//
// The fonts come from the Debian packages fonts-dejavu-core, fonts-dejavu-extra and fonts-liberation. Exits with 1 when a wrong vehicle was
// identified, fewer than 90 % identified at the mild grade, or a label takes more than 400 ms on a processor that is four times slower.
import { chromium } from '@playwright/test'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { createWorker, OEM, PSM } from 'tesseract.js'
import { loadAppModule } from './engine.mjs'

const { createTextLabel, drawTextScene, TEXT_LABEL_GRADES } = await loadAppModule('testing/textLabels.ts')
const { matchLinesToVehicles } = await loadAppModule('features/scanner/ocr/candidates.ts')
const { encodePgm } = await loadAppModule('features/scanner/pixels.ts')
const { extractLinePicture, findTextLines, listLineIndexesByPriority } = await loadAppModule('features/scanner/ocr/lines.ts')
const { recognizeLines, toRecognizedLine } = await loadAppModule('features/scanner/ocr/recognizeLines.ts')
const { OCR_ENGINE_CONFIG, OCR_LINE_PARAMETERS, MAX_LINES_PER_PICTURE } = await loadAppModule('features/scanner/ocr/settings.ts')

const [count, first] = [Number(process.argv[2] ?? 2000), Number(process.argv[3] ?? 0)]
const verbose = process.argv.includes('--verbose')
const SLOWDOWN = 4
const LIMITS = { identified: 0.9, ms: 400 }

const data = dirname(createRequire(import.meta.url).resolve('@tesseract.js-data/eng/package.json'))
const engine = await createWorker('eng', OEM.LSTM_ONLY, { langPath: join(data, '4.0.0_best_int'), cacheMethod: 'none' }, OCR_ENGINE_CONFIG)
await engine.setParameters({ ...OCR_LINE_PARAMETERS, tessedit_pageseg_mode: PSM.SINGLE_LINE })
const recognize = async (picture) => toRecognizedLine((await engine.recognize(encodePgm(picture), {}, { text: false, blocks: true })).data.blocks)

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'] })
const page = await browser.newPage()

const grades = new Map(TEXT_LABEL_GRADES.map(({ name }) => [name, { labels: 0, strangers: 0, identified: 0, picked: 0, missed: 0, none: 0, wrong: 0, ms: [] }]))
for (let number = first; number < first + count; number++) {
  const label = createTextLabel(number)
  const shades = Buffer.from(await page.evaluate(drawTextScene, label.scene), 'base64')
  const picture = { width: label.scene.size, height: label.scene.size, data: new Uint8Array(shades) }
  const before = process.cpuUsage()
  let match = { kind: 'none' }
  const found = findTextLines(picture)
  const lines = await recognizeLines(listLineIndexesByPriority(found).slice(0, MAX_LINES_PER_PICTURE), (place) => recognize(extractLinePicture(picture, found[place])), async (texts) => (match = await matchLinesToVehicles(texts, label.campaign)).kind === 'identified')
  const { user, system } = process.cpuUsage(before)
  const entry = grades.get(label.grade)
  if (number >= first + 10) entry.ms.push(((user + system) / 1000) * SLOWDOWN)
  const isListed = label.vehicle !== null
  entry[isListed ? 'labels' : 'strangers']++
  const right = isListed && (match.kind === 'identified' ? match.vehicle.id === label.vehicle.id : match.kind === 'pick' && match.vehicles.some(({ id }) => id === label.vehicle.id))
  if (match.kind === 'identified') entry[right ? 'identified' : 'wrong']++
  else if (isListed) entry[match.kind === 'none' ? 'none' : right ? 'picked' : 'missed']++
  const isNotable = match.kind === 'identified' ? !right : isListed && verbose
  if (isNotable) console.log(`${match.kind === 'identified' ? 'WRONG' : match.kind}: label ${number}, ${label.grade}, ${label.font}, ${label.layout}: ${JSON.stringify(label.text)} read as ${JSON.stringify(lines.map((line) => line?.text))}${match.kind === 'identified' ? ` taken for ${match.vehicle.vin_number}` : ''}`)
}
await browser.close()
await engine.terminate()

const at = (times, share) => times.toSorted((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0
const percent = (part, whole) => `${((100 * part) / Math.max(1, whole)).toFixed(1)} %`
for (const [name, { labels, strangers, identified, picked, missed, none, wrong, ms }] of grades) {
  console.log(`${name.padEnd(7)} ${labels} labels: ${percent(identified, labels)} identified, ${percent(picked, labels)} in a pick list, ${percent(missed, labels)} in none of a pick list, ${percent(none, labels)} not read; ${strangers} of other campaigns; ${wrong} wrong; ${at(ms, 0.5).toFixed(0)} ms median, ${at(ms, 0.95).toFixed(0)} ms p95, ${at(ms, 1).toFixed(0)} ms worst`)
}
const all = [...grades.values()]
const mild = grades.get('mild')
const isFailed = all.some(({ wrong }) => wrong > 0) || mild.identified < LIMITS.identified * mild.labels || at(all.flatMap(({ ms }) => ms), 0.95) > LIMITS.ms
process.exitCode = isFailed ? 1 : 0
