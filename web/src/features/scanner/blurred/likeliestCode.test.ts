import { expect, test } from 'vitest'
import { createFake } from '@/testing/createFake'
import { createCodeSelector } from '../codeSelector'
import type { DecodedFrame } from '../decoder'
import { MIN_CERTAIN_LOG_LIKELIHOOD_MARGIN, MIN_ACCEPTED_LOG_LIKELIHOOD_MARGIN, pickMostLikelyText } from './likeliestCode'
import { CODE_128_SYMBOLOGY, CODE_93_SYMBOLOGY, createCode39Symbology } from './symbologies'

const VALUES_128 = [104, 33, 34, 17, 18, (104 + 33 + 2 * 34 + 3 * 17 + 4 * 18) % 103, 106] // AB12
const CODE_39 = createCode39Symbology(2.5)
const [STAR = -1] = CODE_39.starts

/** Returns log likelihoods in which each value leads one rival by the margin in `leads`, and all other values by 50. */
const likelihoods = (values: readonly number[], characters: number, leads: Record<number, number> = {}, rival = 1) =>
  values.map((value, place) => Float64Array.from({ length: characters }, (_, other) => (other === value ? 0 : other === (value + rival) % characters ? -(leads[place] ?? 50) : -50)))
const decide128 = (leads: Record<number, number> = {}, values: readonly number[] = VALUES_128) => pickMostLikelyText(CODE_128_SYMBOLOGY, likelihoods(values, 107, leads))
const decide39 = (leads: Record<number, number>, rival = 1) => pickMostLikelyText(CODE_39, likelihoods([STAR, 0, 1, 2, 3, 4, STAR], 44, leads, rival))

test('a text counts when start, stop and check character fit and every character leads by the margin', () => {
  expect(decide128()).toEqual({ text: 'AB12', certain: true, alternatives: [] })
  expect(decide39({ 1: MIN_CERTAIN_LOG_LIKELIHOOD_MARGIN, 5: MIN_CERTAIN_LOG_LIKELIHOOD_MARGIN })).toEqual({ text: '12345', certain: true, alternatives: [] })
})

test('one character below the margin makes a text doubtful, in the check character too, and far below it there is no text', () => {
  expect(decide39({ 3: MIN_CERTAIN_LOG_LIKELIHOOD_MARGIN - 0.01 })).toEqual({ text: '12345', certain: false, alternatives: ['12445'] })
  expect(decide128({ 5: MIN_CERTAIN_LOG_LIKELIHOOD_MARGIN - 0.01 })).toMatchObject({ text: 'AB12', certain: false })
  expect(decide39({ 3: MIN_ACCEPTED_LOG_LIKELIHOOD_MARGIN - 0.01 })).toBeNull()
  expect(decide39({ 1: 3, 2: 3, 3: 3, 4: 3 })).toBeNull()
})

test('alternatives are the texts with a right check character that the doubtful characters allow', () => {
  expect(decide39({ 1: 2, 2: 2 })?.alternatives.toSorted()).toEqual(['13345', '22345', '23345'])
  expect(decide128({ 2: 2 })?.alternatives).toEqual([]) // another second character needs another check character
})

test('a wrong check character gives no text', () => {
  expect(decide128({}, VALUES_128.with(5, ((VALUES_128[5] ?? 0) + 1) % 103))).toBeNull()
  expect(pickMostLikelyText(CODE_93_SYMBOLOGY, likelihoods([47, 10, 11, 12, 13, 1, 1, 47], 48))).toBeNull()
})

test('without a start or a stop beyond doubt there is no text', () => {
  expect(decide128({}, VALUES_128.with(0, 40))).toBeNull()
  expect(decide128({}, VALUES_128.with(6, 40))).toBeNull()
  expect(decide128({ 0: MIN_CERTAIN_LOG_LIKELIHOOD_MARGIN - 0.01 })).toBeNull()
  expect(decide128({ 6: MIN_CERTAIN_LOG_LIKELIHOOD_MARGIN - 0.01 })).toBeNull()
  expect(pickMostLikelyText(CODE_39, likelihoods([1, 0, 1, 2, 3, 4, STAR], 44))).toBeNull()
})

test('texts of fewer than four characters and asterisks inside are not read', () => {
  expect(pickMostLikelyText(CODE_39, likelihoods([STAR, 0, 1, 2, STAR], 44))).toBeNull()
  expect(pickMostLikelyText(CODE_39, likelihoods([STAR, 0, 1, STAR, 2, 3, STAR], 44))).toBeNull()
})

const doubtful = (text: string, alternatives: string[]): DecodedFrame => createFake<DecodedFrame>({ codes: [], seen: null, doubtful: { code: { text, format: 'code_39', corners: [] }, alternatives } })
const chosen = (fits: Parameters<typeof createCodeSelector>[0], frame: DecodedFrame) => createCodeSelector(fits).choose(frame).code?.text ?? null

test("the campaign's list confirms a doubtful text and never replaces it", () => {
  const listed = (...texts: string[]) => (text: string) => (texts.includes(text) ? ('full' as const) : ('none' as const))
  expect(chosen(listed('12345'), doubtful('12345', ['12445']))).toBe('12345')
  expect(chosen(listed('12445'), doubtful('12345', ['12445']))).toBeNull()
  expect(chosen(listed('12345', '12445'), doubtful('12345', ['12445']))).toBeNull()
  expect(chosen(() => 'part', doubtful('12345', []))).toBeNull()
  expect(chosen(() => true, doubtful('12345', []))).toBeNull()
  expect(chosen(undefined, doubtful('12345', []))).toBeNull()
})
