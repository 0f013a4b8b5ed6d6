import type { Block } from 'tesseract.js'
import { expect, test } from 'vitest'
import type { OcrCandidateVehicle } from '@/lib/scanner'
import { createFake } from '@/testing/createFake'
import { createSeededRandom } from '@/testing/labels'
import { matchLinesToVehicles as matchTexts } from './candidates'
import { computeSubstringEditDistance, foldLookAlikes, computeSubstringEditDistanceByDynamicProgramming, computeWeightedSubstringEditDistance } from './editDistance'
import type { RecognizedLine } from './protocol'
import { toRecognizedLine } from './recognizeLines'

const car = (vin_number: string, id = 1, parking_space = `A-${id}`): OcrCandidateVehicle => ({ id, vin_number, parking_space })
const cars = (...vins: string[]) => vins.map((vin, index) => car(vin, index + 1))
/** A line whose characters have the same confidence, or those at the given places 50 % and all others 99 %. */
const line = (text: string, doubtful?: number[]): RecognizedLine => ({ text, confidences: [...text].map((_, place) => (doubtful === undefined || doubtful.includes(place) ? 50 : 99)) })
const matchLines = (lines: readonly (string | null)[], list: readonly OcrCandidateVehicle[]) => matchTexts(lines.map((text) => (text === null ? null : line(text))), list)
const VIN = '9BWZZZ377VT004251'

test('characters that look alike are folded, and spaces and hyphens are ignored', () => {
  expect(foldLookAlikes('oO0 iI1-sS5 bB8*zZ2 gG6')).toBe('000111555888222666')
  expect(foldLookAlikes('9BWZZZ 377-VT 004251')).toBe(foldLookAlikes('9bwzzz377vt004251'))
})

test('the distance counts inserted, deleted and replaced characters between a pattern and the nearest part of a text', () => {
  expect(['ABCDEF', 'xxABCDEFxx', 'xxABXDEFxx', 'xxABDEFxx', 'xxABCxDEFxx', 'xxAXCDXFxx', '', 'AB'].map((text) => computeSubstringEditDistance('ABCDEF', text))).toEqual([0, 0, 1, 1, 1, 2, 6, 4])
  expect([computeSubstringEditDistance('', 'ABC'), computeSubstringEditDistance(VIN.repeat(3), `x${VIN.repeat(3)}`)]).toEqual([0, 0])
})

test('the bit-parallel distance equals the distance of the full table', () => {
  const random = createSeededRandom(5)
  const word = (length: number, letters: number) => Array.from({ length }, () => 'ABCDEFGH0123'.charAt(Math.floor(random() * letters))).join('')
  for (let round = 0; round < 2000; round++) {
    const [pattern, text] = [word(1 + Math.floor(random() * 31), 2 + Math.floor(random() * 10)), word(Math.floor(random() * 60), 12)]
    expect(computeSubstringEditDistance(pattern, text), `${pattern} in ${text}`).toBe(computeSubstringEditDistanceByDynamicProgramming(pattern, text))
  }
})

test('a vehicle is identified with up to two differing characters when every other vehicle differs in two more', async () => {
  const list = cars(VIN, '9BWZZZ377VT119873', '9BWZZZ377VT557190')
  for (const lines of [[VIN], ['VIN:', '9BWZZZ 377-VT0', '04251', 'MADE IN BRAZIL'], ['9BWZZZ37VT00425I'], ['98WZZZ377VT0O42S1'], ['XBWZZZ377VT00425']]) {
    expect(await matchLines(lines, list), lines.join('|')).toEqual({ kind: 'identified', vehicle: list[0] })
  }
})

test('a certain character that the identifier lacks makes a pick list, since the label may be that of a vehicle elsewhere', async () => {
  const list = cars(VIN)
  const isIdentified = async (...lines: RecognizedLine[]) => (await matchTexts(lines, list)).kind === 'identified'
  expect(await isIdentified(line('9BWZZZ377VT004751', []))).toBe(false)
  expect(await isIdentified(line('9BWZZZ377VT004751', [14])), 'the wrong character is doubtful').toBe(true)
  expect(await isIdentified(line('9BWZZZ377VT004751', [13]))).toBe(false)
  expect(await isIdentified(line('9BWZZZ377VT0047251', [])), 'one character too many').toBe(false)
  expect(await isIdentified(line('9BWZZZ377VT04251', [])), 'a character is missing').toBe(true)
  expect(await isIdentified(line('9BWZZZ377VTOO425I', [])), 'characters that look alike').toBe(true)
  expect(await isIdentified(line('VIN 9BWZZZ377VT', []), line('004251 BRAZIL', [])), 'the text around the identifier does not count').toBe(true)
  expect(computeWeightedSubstringEditDistance('ABC', 'xAxCx', [3, 3, 3, 3, 3])).toBe(2)
})

test('the characters of the engine keep their confidence, and words are separated', () => {
  const word = (...symbols: [string, number][]) => ({ symbols: symbols.map(([text, confidence]) => ({ text, confidence })) })
  const blocks = createFake<Block[]>([{ paragraphs: [{ lines: [{ words: [word(['9', 98], ['B', 31]), word(['7', 99])] }] }] }])
  expect(toRecognizedLine(blocks)).toEqual({ text: '9B 7', confidences: [98, 31, 0, 99] })
  expect(toRecognizedLine(null)).toEqual({ text: '', confidences: [] })
})

test('a rival that is less than two characters farther makes a pick list, the nearest vehicle first', async () => {
  const list = cars('9BWZZZ377VT004259', VIN, '9BWZZZ377VT118873')
  expect(await matchLines([VIN], list)).toEqual({ kind: 'pick', vehicles: [list[1], list[0]] })
  expect(await matchLines([VIN], [car(VIN, 1), car(VIN, 2)])).toEqual({ kind: 'pick', vehicles: [car(VIN, 1), car(VIN, 2)] })
})

test('a vehicle whose whole identifier was read is identified beside one that fits only without its last or first character', async () => {
  const list = cars('9BHBG51CAJP386045', '9BHBG51CAJP238604')
  expect(await matchLines(['9BHBG51CAJP386045'], list)).toEqual({ kind: 'identified', vehicle: list[0] })
  expect(await matchLines(['I9BHBG51CAJP238604', 'GVWR 1593 KG'], list)).toEqual({ kind: 'identified', vehicle: list[1] })
  const shifted = cars('CRETA 859883', 'RETA 859883')
  expect(await matchLines(['CRETA', '859883'], shifted), 'one character off').toEqual({ kind: 'pick', vehicles: shifted })
  expect(await matchLines(['9BHBG51CAJP38604S 9BHBG51CAJP238604'], list), 'both identifiers are there').toEqual({ kind: 'pick', vehicles: list })
  expect((await matchLines(['9BHBG51CAJP238604', '9BHBG51CAJP3860X5'], list)).kind, 'the other identifier is there but for a character').toBe('pick')
  expect((await matchLines(['19BHBG51CAJP386045'], cars('9BHBG51CAJP386045', '19BHBG51CAJP38604'))).kind, 'the other begins before it').toBe('pick')
})

test('three differing characters make a pick list, and a text without a similar vehicle gives none', async () => {
  const list = cars(VIN)
  expect(await matchLines(['9BWXXX377VT004251'], list)).toEqual({ kind: 'pick', vehicles: list })
  for (const lines of [[], [''], [null], ['MADE IN BRAZIL'], ['1234']]) expect(await matchLines(lines, list)).toEqual({ kind: 'none' })
})

test('a line that was not read is not skipped within an identifier', async () => {
  const list = cars(VIN)
  expect((await matchLines(['9BWZZZ377V', 'T004251'], list)).kind).toBe('identified')
  expect(await matchLines(['9BWZZZ37', null, '7VT004251'], list)).toEqual({ kind: 'identified', vehicle: list[0] })
  expect((await matchLines(['9BWZZZ', null, null, null, '7VT004251'], list)).kind).not.toBe('identified')
})

test('short identifiers, endings and parking spaces make a pick list only', async () => {
  expect(await matchLines(['K2 0041'], cars('K2 0041', 'X9 7777'))).toEqual({ kind: 'pick', vehicles: cars('K2 0041') })
  expect(await matchLines(['T004251'], cars(VIN))).toEqual({ kind: 'pick', vehicles: cars(VIN) })
  const list = [car(VIN, 1, 'B-17'), car('9BWZZZ377VT557190', 2, 'B-18')]
  expect(await matchLines(['SPACE', 'B-17'], list)).toEqual({ kind: 'pick', vehicles: [list[0]] })
})

/** Returns a text with some characters replaced, deleted or inserted. */
function misread(text: string, times: number, random: () => number): string {
  let result = text
  for (let time = 0; time < times; time++) {
    const place = Math.floor(random() * result.length)
    const wrong = random() < 0.2 ? '' : 'ACDEFHJKLMNPRTUVWXY3479'.charAt(Math.floor(random() * 23))
    result = result.slice(0, place) + wrong + result.slice(place + (random() < 0.8 ? 1 : 0))
  }
  return result
}

test('for any list and misreading: the identified vehicle is in the list, two characters off at most, and has no rival within two further characters', async () => {
  const random = createSeededRandom(11)
  let identified = 0
  for (let round = 0; round < 400; round++) {
    const list = Array.from({ length: 30 }, (_, id) => car(`9BWZZZ377VT00${String(1000 + Math.floor(random() * (round % 2 ? 40 : 9000)))}`, id))
    const text = `VIN ${misread(list[0]?.vin_number ?? '', round % 5, random)} 2026`
    const match = await matchLines([text], list)
    if (match.kind === 'pick') for (const vehicle of match.vehicles) expect(list).toContain(vehicle)
    if (match.kind !== 'identified') continue
    identified++
    expect(list).toContain(match.vehicle)
    const off = computeSubstringEditDistanceByDynamicProgramming(foldLookAlikes(match.vehicle.vin_number), foldLookAlikes(text))
    expect(off).toBeLessThanOrEqual(2)
    for (const { vin_number } of list.filter((other) => other !== match.vehicle)) {
      if (off === 0) expect([...vin_number].filter((character, place) => character !== match.vehicle.vin_number[place]).length).toBeGreaterThanOrEqual(2)
      else expect(computeSubstringEditDistanceByDynamicProgramming(foldLookAlikes(vin_number), foldLookAlikes(text))).toBeGreaterThanOrEqual(off + 2)
    }
  }
  expect(identified).toBeGreaterThan(50)
})

test('a campaign of 100,000 vehicles is compared in parts', async () => {
  const list = Array.from({ length: 100_000 }, (_, id) => car(`9BWZZZ377VT${String(id * 10).padStart(6, '0')}X`, id))
  const match = await matchLines(['9BWZZZ377VT005550X'], list)
  expect(match.kind).toBe('pick')
  expect(match.kind === 'pick' && match.vehicles[0]?.id).toBe(555)
})
