import { energyAt, fitAt, gainAt, SAMPLES, type Level, type Template, type TemplateSet } from './templates'
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
  /** Whether the code runs from the right to the left. */
  isReversed: boolean
}

/** A profile sampled at every module size, in one of its two directions. */
export interface Line {
  levels: readonly Level[]
  isReversed: boolean
  /** Pixels between which the profile has bars. */
  bars: { begin: number; end: number }
}

/** Minimum share of the energy that a start or stop explains. */
const START_FIT = 0.7
const STOP_FIT = 0.6
const MAX_STARTS = 10
/** Largest distance of a start from the first bars, as a share of the length of the bars and in pixels. */
const [NEAR, NEAR_PIXELS] = [0.2, 40]
/** Difference of the logarithms of two module sizes that count as one. */
const SAME_SIZE = 0.13
const MAX_PLACES = 48
const BEAM = 8
/** Largest displacement of a character from its expected place, in samples. */
const SLIP = 2
const SLIP_COST = 0.02
/** Shares by which the place, the module size and its growth follow the displacement of a character. */
const [FOLLOW_PLACE, FOLLOW_SIZE, FOLLOW_GROWTH] = [0.7, 0.5, 0.1]
/** Largest growth of the module size from one character to the next. */
const MAX_GROWTH = 1.04
/** Largest mean cost of a path that is continued, and the mean cost with which no other start is followed. */
const [MAX_COST, GOOD_COST] = [0.3, 0.06]
/** Distance in pixels, relative to the length of the bars, over which a start inside of the bars becomes unlikely. */
const APART = 0.12
/** Cost of a code that covers nothing of the bars; one that covers all of them costs nothing. */
const UNCOVERED_COST = 0.3
/** Limits of a character's contrast as a factor of the start's contrast. */
const [MIN_GAIN, MAX_GAIN] = [0.35, 2.5]

/** Patterns of a symbology, with the blur in modules with which they are drawn. */
export interface Search {
  set: TemplateSet
  blur: number
}

interface Start {
  line: Line
  search: Search
  level: Level
  from: number
  template: Template
  fit: number
  gain: number
}

/** Finds the places near the first bars of a line where a start character fits at some module size. `searches` differ only in their blur. */
export function findStarts(line: Line, searches: readonly Search[]): Start[] {
  const found: Start[] = []
  const middle = searches[searches.length >> 1]
  if (middle === undefined) return found
  const { begin, end } = line.bars
  for (const level of line.levels) {
    const pixel = level.module / SAMPLES
    const near = Math.max(NEAR_PIXELS, (end - begin) * NEAR)
    for (const template of middle.set.starts) {
      const last = Math.min((begin + near) / pixel - template.lead, level.samples.length - template.samples.length)
      let [before, fit] = [0, 0]
      for (let from = Math.max(0, Math.round((begin - near) / pixel - template.lead)); from <= last; from++) {
        const next = fitAt(level, template, from + 1)
        if (fit >= START_FIT && fit >= before && fit > next) found.push(sharpest(line, searches, level, from, template))
        before = fit
        fit = next
      }
    }
  }
  return found
}

/** Returns the start at a place with the blur that fits best. */
function sharpest(line: Line, searches: readonly Search[], level: Level, from: number, { value }: Template): Start {
  const starts = searches.flatMap((search) => {
    const template = search.set.starts.find((start) => start.value === value)
    if (template === undefined) return []
    return [{ line, search, level, from, template, fit: fitAt(level, template, from), gain: gainAt(level, template, from) / Math.sqrt(template.samples.length) }]
  })
  return starts.reduce((best, start) => (start.fit > best.fit ? start : best))
}

export const beginOf = ({ level, from, template }: Start): number => ((from + template.lead) * level.module) / SAMPLES

/** Whether two starts are of one code: the same character at nearly the same place and size. */
const isSame = (one: Start, other: Start): boolean =>
  one.line === other.line && one.template.value === other.template.value && one.search.set.symbology.format === other.search.set.symbology.format &&
  one.search.set.symbology.ratio === other.search.set.symbology.ratio && Math.abs(beginOf(one) - beginOf(other)) <= 2 * one.level.module && Math.abs(Math.log(one.level.module / other.level.module)) < SAME_SIZE

/** Returns the starts that fit best, one of each code. */
export function chooseStarts(found: readonly Start[]): Start[] {
  const chosen: Start[] = []
  const strength = (start: Start) => {
    const { begin, end } = start.line.bars
    return start.fit ** 2 * start.gain ** 0.25 * Math.exp(-(((beginOf(start) - begin) / (end - begin) / APART) ** 2) / 2)
  }
  for (const start of found.toSorted((a, b) => strength(b) - strength(a))) {
    if (chosen.every((other) => !isSame(other, start))) chosen.push(start)
    if (chosen.length >= MAX_STARTS) break
  }
  return chosen
}

interface Path {
  values: number[]
  begins: number[]
  /** Pixel where the next character is expected, and the module size there. */
  next: number
  module: number
  /** Factor of the module size from one character to the next. */
  growth: number
  cost: number
}

const clamp = (factor: number, most: number): number => Math.max(1 / most, Math.min(most, factor))

/** Follows a code from its start, character by character. Returns a hypothesis for each stop that fits. */
export function follow(start: Start): Hypothesis[] {
  const { line, level: { module }, search: { set, blur } } = start
  const { symbology } = set
  const bests = createBestCharacters(start)
  const begin = beginOf(start)
  let paths: Path[] = [{ values: [start.template.value], begins: [begin], next: begin + symbology.width * module, module, growth: 1, cost: 1 - start.fit }]
  const found: Hypothesis[] = []
  for (let place = 1; place < MAX_PLACES && paths.length > 0; place++) {
    const longer: Path[] = []
    for (const path of paths) {
      const level = nearest(line.levels, path.module)
      const stop = place > 2 ? stopOf(level, set, path) : null
      if (stop !== null) {
        const covered = (stop.begin + (symbology.width + symbology.tail) * path.module - begin) / (line.bars.end - line.bars.begin)
        const cost = (path.cost + stop.cost) / (place + 1) + UNCOVERED_COST * Math.max(0, 1 - covered)
        found.push({ symbology, blur, isReversed: line.isReversed, values: [...path.values, symbology.stop], begins: [...path.begins, stop.begin], module: path.module, cost })
      }
      longer.push(...extend(level, bests, symbology.width, path))
    }
    const best = longer.filter(({ cost }) => cost <= MAX_COST * (place + 1) + MAX_COST).toSorted((a, b) => a.cost - b.cost)
    paths = best.filter((path, index) => best.findIndex((other) => Math.abs(other.next - path.next) < path.module / SAMPLES / 2) === index).slice(0, BEAM)
  }
  return found
}

const nearest = (levels: readonly Level[], module: number): Level => levels.reduce((best, level) => (Math.abs(level.module - module) < Math.abs(best.module - module) ? level : best))

interface BestCharacter {
  value: number
  cost: number
}
type BestCharacters = (level: Level, from: number) => BestCharacter | null

/** Returns a function that finds the character that fits a level at a sample best, and remembers it for other paths. */
function createBestCharacters({ search: { set: { characters, symbology: { starts, stop } } }, gain }: Start): BestCharacters {
  const inside = characters.filter(({ value }) => value !== stop && !starts.includes(value))
  const known = new Map<Level, Map<number, BestCharacter | null>>()
  const count = inside[0]?.samples.length ?? 0
  const search: BestCharacters = (level, from) => {
    if (from < 0 || from + count > level.samples.length) return null
    let [value, strongest] = [-1, 0]
    for (const template of inside) {
      const strength = gainAt(level, template, from)
      if (strength > strongest) [value, strongest] = [template.value, strength]
    }
    const contrast = strongest / Math.sqrt(count) / gain
    return contrast < MIN_GAIN || contrast > MAX_GAIN ? null : { value, cost: 1 - (strongest * strongest) / energyAt(level, from, count) }
  }
  return (level, from) => {
    const places = known.get(level) ?? new Map<number, BestCharacter | null>()
    known.set(level, places)
    const remembered = places.get(from)
    if (remembered !== undefined) return remembered
    const best = search(level, from)
    places.set(from, best)
    return best
  }
}

function stopOf(level: Level, { stop }: TemplateSet, { next }: Path): { begin: number; cost: number } | null {
  let best: { begin: number; cost: number } | null = null
  const expected = Math.round((next * SAMPLES) / level.module)
  for (let slip = -SLIP; slip <= SLIP; slip++) {
    const cost = 1 - fitAt(level, stop, expected + slip)
    if (cost <= 1 - STOP_FIT && (best === null || cost < best.cost)) best = { begin: ((expected + slip) * level.module) / SAMPLES, cost }
  }
  return best
}

/** Returns the path with one more character, for the best character at each displacement. */
function extend(level: Level, bests: BestCharacters, width: number, path: Path): Path[] {
  const longer: Path[] = []
  const expected = Math.round((path.next * SAMPLES) / level.module)
  for (let slip = -SLIP; slip <= SLIP; slip++) {
    const best = bests(level, expected + slip)
    if (best === null) continue
    const begin = ((expected + slip) * level.module) / SAMPLES
    const error = (begin - path.next) / (width * path.module)
    const growth = clamp(path.growth * (1 + FOLLOW_GROWTH * error), MAX_GROWTH)
    const module = path.module * clamp(1 + FOLLOW_SIZE * error, MAX_GROWTH) * growth
    const at = path.next + FOLLOW_PLACE * (begin - path.next)
    longer.push({ values: [...path.values, best.value], begins: [...path.begins, begin], next: at + width * module, module, growth, cost: path.cost + best.cost + SLIP_COST * slip * slip })
  }
  return longer
}

/** Returns the most plausible sequences of characters along a profile, the best first. */
export function findHypotheses(lines: readonly Line[], searches: readonly (readonly Search[])[], most: number): Hypothesis[] {
  const starts = chooseStarts(lines.flatMap((line) => searches.flatMap((search) => findStarts(line, search))))
  const all: Hypothesis[] = []
  for (const start of starts) {
    all.push(...follow(start))
    if (all.some(({ cost }) => cost < GOOD_COST)) break
  }
  const found: Hypothesis[] = []
  for (const one of all.toSorted((a, b) => a.cost - b.cost)) {
    const isNew = found.every(({ symbology, values }) => symbology.format !== one.symbology.format || values.length !== one.values.length || values.some((value, place) => value !== one.values[place]))
    if (isNew) found.push(one)
    if (found.length >= most) break
  }
  return found
}
