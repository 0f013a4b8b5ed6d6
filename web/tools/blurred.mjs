// Measures the decoder of blurred linear codes on drawn frames. The frames are the same in every run.
//
//   node tools/blurred.mjs traps [COUNT] [FIRST]   frames without a code, with other codes or badly blurred; no text may be wrong
//   node tools/blurred.mjs frames [COUNT] [FIRST]  the frames of `traps` as camera frames, with decoding times; no code may be wrong
//   node tools/blurred.mjs grades [COUNT]          share of labels read per grade of blur, without and with the blurred-code decoder
//
// Exits with 1 when a wrong text was read.
import { loadAppModule, decodeSymbols as decode } from './engine.mjs'

const { drawGradedLabel, drawTrapFrame, BLURRED_FORMATS, BLUR_GRADES } = await loadAppModule('testing/blurredFrames.ts')
const { createDecoder } = await loadAppModule('features/scanner/decoder.ts')
const { findStripeDirections } = await loadAppModule('features/scanner/stripeDirections.ts')
const { SCANNER_DECODER_SETTINGS } = await loadAppModule('features/scanner/decoderSettings.ts')
const { decodeBlurredCode } = await loadAppModule('features/scanner/blurred/blurredDecoder.ts')

const [mode = 'grades', ...numbers] = process.argv.slice(2)
const at = (times, share) => times.toSorted((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0

/** Returns the processor time in milliseconds. With this clock, the decoder decides about extra passes as on an idle machine. */
const clock = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** Returns the result of a call and its processor time in milliseconds, which varies less than elapsed time on a busy machine. */
async function timed(act) {
  const before = clock()
  const result = await act()
  return { result, ms: clock() - before }
}

async function measureTraps(count, first) {
  const kinds = new Map()
  const times = []
  let wrong = 0
  for (let number = first; number < first + count; number++) {
    const { kind, picture, text } = drawTrapFrame(number)
    const { result, ms } = await timed(() => decodeBlurredCode(picture, findStripeDirections(picture)))
    times.push(ms)
    const entry = kinds.get(kind) ?? { frames: 0, right: 0, doubtful: 0, wrong: 0, doubtfulWrong: 0 }
    kinds.set(kind, entry)
    entry.frames++
    if (result === null) continue
    const isRight = result.text === text
    if (!result.certain) entry[isRight ? 'doubtful' : 'doubtfulWrong']++
    else if (isRight) entry.right++
    else {
      entry.wrong++
      wrong++
      console.log(`wrong: frame ${number}, ${kind}: read ${result.format} ${JSON.stringify(result.text)}, holds ${JSON.stringify(text)}`)
    }
  }
  for (const [kind, { frames, right, doubtful, wrong: bad, doubtfulWrong }] of [...kinds].toSorted()) console.log(`${kind.padEnd(24)} ${frames} frames, ${right} read, ${doubtful} doubtful, ${bad} wrong, ${doubtfulWrong} doubtful and wrong`)
  console.log(`${count} frames, ${wrong} wrong; a blurred-code pass takes ${at(times, 0.5).toFixed(0)} ms median, ${at(times, 0.95).toFixed(0)} ms p95, ${at(times, 1).toFixed(0)} ms worst (processor time)`)
  process.exitCode = wrong > 0 ? 1 : 0
}

const FRAMES = 16
/** Decodes up to 16 exposures of a label. Returns the first code that is read, or null. */
async function decodeLabel(exposures, blurred, times) {
  const decoder = createDecoder(decode, SCANNER_DECODER_SETTINGS, blurred ? async (frame, directions) => decodeBlurredCode(frame, directions) : null, clock)
  for (let frame = 0; frame < FRAMES; frame++) {
    const { result: { codes, extraPass }, ms } = await timed(() => decoder.decode(exposures[frame % exposures.length]))
    times[extraPass === 'blurred' ? 'frame with a blurred-code pass' : 'other frame'].push(ms)
    if (codes[0] !== undefined) return codes[0]
  }
  return null
}

/** Side in pixels of the square that the scanner decodes in a camera picture of 1080 pixels. */
const SIDE = 929

async function measureFrames(count, first) {
  const times = {}
  let [read, wrong] = [0, 0]
  for (let number = first; number < first + count; number++) {
    const { kind, picture, text } = drawTrapFrame(number, SIDE)
    if (kind === 'EAN-8') continue // a code that the scanner reads rightly
    const decoder = createDecoder(decode, SCANNER_DECODER_SETTINGS, async (frame, directions) => decodeBlurredCode(frame, directions), clock)
    for (let frame = 0; frame < FRAMES; frame++) {
      const { result: { codes: [code], extraPass, unmodifiedPassMs }, ms } = await timed(() => decoder.decode(picture))
      for (const [what, taken] of [[extraPass === 'blurred' ? 'frame with a blurred-code pass' : 'other frame', ms], ['pass on the unmodified frame', unmodifiedPassMs]]) if (taken !== null) (times[what] ??= []).push(taken)
      if (code === undefined) continue
      if (code.text === text) read++
      else {
        wrong++
        console.log(`wrong: frame ${number}, ${kind}: read ${code.format} ${JSON.stringify(code.text)} in the pass ${extraPass ?? 'unmodified'}, holds ${JSON.stringify(text)}`)
      }
      break
    }
  }
  printTimes(times)
  console.log(`${count} frames, ${read} read, ${wrong} wrong`)
  process.exitCode = wrong > 0 ? 1 : 0
}

const printTimes = (times) => {
  for (const [what, ms] of Object.entries(times)) console.log(`${what}: ${at(ms, 0.5).toFixed(0)} ms median, ${at(ms, 0.95).toFixed(0)} ms p95 (processor time, ${ms.length} times)`)
}

async function measureGrades(count) {
  const times = { 'frame with a blurred-code pass': [], 'other frame': [] }
  let wrong = 0
  for (const grade of Object.keys(BLUR_GRADES)) {
    for (const format of BLURRED_FORMATS) {
      const reads = [0, 0]
      for (let seed = 1; seed <= count; seed++) {
        const frames = [0, 1, 2].map((exposure) => drawGradedLabel(grade, format, seed, exposure))
        for (const blurred of [false, true]) {
          const code = await decodeLabel(frames.map(({ picture }) => picture), blurred, times)
          if (code === null) continue
          if (code.text === frames[0].text) reads[Number(blurred)]++
          else {
            wrong++
            console.log(`wrong: ${grade} ${format} ${seed}: read ${code.format} ${JSON.stringify(code.text)}, holds ${JSON.stringify(frames[0].text)}`)
          }
        }
      }
      const [before, after] = reads.map((right) => `${((100 * right) / count).toFixed(0)} %`.padStart(6))
      console.log(`${grade.padEnd(14)} ${format.padEnd(10)} ${before} without, ${after} with the blurred-code decoder`)
    }
  }
  printTimes(times)
  console.log(`${wrong} wrong`)
  process.exitCode = wrong > 0 ? 1 : 0
}

const [count, first = 0] = numbers.map(Number)
const modes = { traps: () => measureTraps(count ?? 10_000, first), frames: () => measureFrames(count ?? 300, first), grades: () => measureGrades(count ?? 20) }
await modes[mode]?.()
