import { matchAt, SAMPLES, type Level, type Template, type TemplateSet } from './templates'
import type { Symbology } from './symbologies'

/** A sequence of characters that may be printed along a profile. */
export interface Hypothesis {
  symbology: Symbology
  /** Values of the characters with start and stop. */
  values: number[]
  /** Pixel in the profile where each character begins. */
  begins: number[]
  /** Module size in pixels and blur in modules as the search knows them. */
  module: number
  blur: number
  /** Mean share of a character's energy that its pattern leaves unexplained. */
  cost: number
}

/** Minimum share of the energy that a start or stop explains. */
const START_FIT = 0.7
const STOP_FIT = 0.6
const MAX_STARTS = 6
const MAX_PLACES = 48
const BEAM = 5
/** Largest displacement of a character from its expected place, in samples. */
const SLIP = 2
const SLIP_COST = 0.02
/** Share by which the module size follows a displacement. */
const FOLLOW = 0.5
/** Largest mean cost of a path that is continued. */
const MAX_COST = 0.45
/** Limits of a character's contrast as a factor of the start's contrast. */
const [MIN_GAIN, MAX_GAIN] = [0.35, 2.5]

interface Start {
  level: Level
  from: number
  template: Template
  fit: number
  gain: number
}

/** Finds the places of start characters at every module size, the best first, none close to a better one of the same size. */
function findStarts(levels: readonly Level[], { starts, symbology }: TemplateSet): Start[] {
  const found: Start[] = []
  for (const level of levels) {
    for (const template of starts) {
      let [before, last] = [0, 0]
      let previous: Start | null = null
      for (let from = 0; from + template.samples.length <= level.samples.length; from++) {
        const match = matchAt(level, template, from)
        const fit = match === null || match.energy === 0 ? 0 : 1 - match.rest / match.energy
        if (previous !== null && last >= before && last > fit) found.push(previous)
        previous = fit >= START_FIT && match !== null ? { level, from, template, fit, gain: match.gain / Math.sqrt(template.samples.length) } : null
        before = last
        last = fit
      }
    }
  }
  const chosen: Start[] = []
  const pixelOf = ({ level, from, template }: Start) => ((from + template.lead) * level.module) / SAMPLES
  for (const start of found.toSorted((a, b) => b.fit * Math.sqrt(b.gain) - a.fit * Math.sqrt(a.gain))) {
    const isNew = chosen.every((other) => Math.abs(pixelOf(other) - pixelOf(start)) > 2 * start.level.module || Math.abs(Math.log(other.level.module / start.level.module)) > 0.13)
    if (isNew) chosen.push(start)
    if (chosen.length >= (symbology.ratio > 1 ? MAX_STARTS : 2 * MAX_STARTS)) break
  }
  return chosen
}

interface Path {
  values: number[]
  begins: number[]
  /** Pixel where the next character is expected, and the module size there. */
  next: number
  module: number
  cost: number
}

/** Follows a code from its start, character by character. Returns a hypothesis for each stop that fits. */
function follow(levels: readonly Level[], set: TemplateSet, start: Start, blur: number): Hypothesis[] {
  const { symbology } = set
  const { module } = start.level
  const begin = ((start.from + start.template.lead) * module) / SAMPLES
  let paths: Path[] = [{ values: [start.template.value], begins: [begin], next: begin + symbology.width * module, module, cost: 1 - start.fit }]
  const found: Hypothesis[] = []
  for (let place = 1; place < MAX_PLACES && paths.length > 0; place++) {
    const longer: Path[] = []
    for (const path of paths) {
      const level = nearest(levels, path.module)
      const stop = stopOf(level, set, path)
      if (stop !== null && place > 2) found.push({ symbology, blur, values: [...path.values, symbology.stop], begins: [...path.begins, stop.begin], module: path.module, cost: (path.cost + stop.cost) / (place + 1) })
      longer.push(...extend(level, set, path, start.gain))
    }
    const best = longer.filter(({ cost }) => cost / (place + 1) <= MAX_COST).toSorted((a, b) => a.cost - b.cost)
    paths = best.filter((path, index) => best.findIndex((other) => Math.abs(other.next - path.next) < path.module / SAMPLES / 2) === index).slice(0, BEAM)
  }
  return found
}

const nearest = (levels: readonly Level[], module: number): Level => levels.reduce((best, level) => (Math.abs(level.module - module) < Math.abs(best.module - module) ? level : best))

function stopOf(level: Level, { stop }: TemplateSet, { next }: Path): { begin: number; cost: number } | null {
  let best: { begin: number; cost: number } | null = null
  const expected = Math.round((next * SAMPLES) / level.module)
  for (let slip = -SLIP; slip <= SLIP; slip++) {
    const match = matchAt(level, stop, expected + slip)
    if (match === null || match.energy === 0) continue
    const cost = match.rest / match.energy
    if (cost <= 1 - STOP_FIT && (best === null || cost < best.cost)) best = { begin: ((expected + slip) * level.module) / SAMPLES, cost }
  }
  return best
}

/** Returns the path with one more character, for the best character at each displacement. */
function extend(level: Level, { characters, symbology: { width, starts, stop } }: TemplateSet, path: Path, startGain: number): Path[] {
  const longer: Path[] = []
  const expected = Math.round((path.next * SAMPLES) / level.module)
  for (let slip = -SLIP; slip <= SLIP; slip++) {
    let best: { value: number; cost: number } | null = null
    for (const template of characters) {
      if (template.value === stop || starts.includes(template.value)) continue
      const match = matchAt(level, template, expected + slip)
      if (match === null || match.energy === 0) continue
      const contrast = match.gain / Math.sqrt(template.samples.length) / startGain
      const cost = match.rest / match.energy
      if (contrast < MIN_GAIN || contrast > MAX_GAIN) continue
      if (best === null || cost < best.cost) best = { value: template.value, cost }
    }
    if (best === null) continue
    const begin = ((expected + slip) * level.module) / SAMPLES
    const ratio = 1 + (FOLLOW * (begin - path.next)) / (width * path.module)
    const module = path.module * Math.max(0.96, Math.min(1.04, ratio))
    const at = path.next + 0.7 * (begin - path.next)
    longer.push({ values: [...path.values, best.value], begins: [...path.begins, begin], next: at + width * module, module, cost: path.cost + best.cost + SLIP_COST * slip * slip })
  }
  return longer
}

/** Returns the most plausible sequences of characters along a profile, the best first. */
export function findHypotheses(levels: readonly Level[], sets: readonly { set: TemplateSet; blur: number }[], most: number): Hypothesis[] {
  const all = sets.flatMap(({ set, blur }) => findStarts(levels, set).flatMap((start) => follow(levels, set, start, blur)))
  const found: Hypothesis[] = []
  for (const one of all.toSorted((a, b) => a.cost - b.cost)) {
    const isNew = found.every(({ symbology, values }) => symbology.format !== one.symbology.format || values.length !== one.values.length || values.some((value, place) => value !== one.values[place]))
    if (isNew) found.push(one)
    if (found.length >= most) break
  }
  return found
}
