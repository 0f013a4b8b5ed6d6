import { expect, test } from 'vitest'
import { createHardwareScanDetector } from './hardwareScan'

function type(text: string, gap: number, end = 'Enter') {
  const detector = createHardwareScanDetector()
  let at = 1000
  let scan: string | null = null
  for (const key of [...text, end]) scan = detector.take({ key, at: (at += gap) }).scan
  return scan
}

test('fast keys ended by Enter or Tab are a scan', () => {
  expect([type('HB20 000123', 8), type('HB20 000123', 8, 'Tab')]).toEqual(['HB20 000123', 'HB20 000123'])
})

test('typing by a person and short sequences are not scans', () => {
  expect([type('HB20 000123', 120), type('ok', 5), type('HB20 000123', 120, 'Tab')]).toEqual([null, null, null])
})

test('a slow scanner is known by its even pace and by long codes of capitals and digits', () => {
  expect([type('HB20 000123', 100), type('9BWZZZ377VT004251', 90, 'Tab')]).toEqual(['HB20 000123', '9BWZZZ377VT004251'])
  expect([type('000123', 100), type('left door 2', 100), type('LEFT DOOR', 100)]).toEqual([null, null, null])
  const detector = createHardwareScanDetector()
  let at = 1000
  const uneven = [...'HB20 000123', 'Enter'].map((key, index) => detector.take({ key, at: (at += index % 2 === 0 ? 105 : 55) }).scan)
  expect(uneven.at(-1)).toBeNull()
})

test('a slow key before a fast sequence is not part of the scan, and Shift is ignored', () => {
  const detector = createHardwareScanDetector()
  for (const [key, at] of [['x', 0], ['A', 900], ['Shift', 905], ['B', 910], ['1', 920], ['2', 930], ['3', 940]] as const) detector.take({ key, at })
  expect(detector.take({ key: 'Enter', at: 950 }).scan).toBe('AB123')
})

test('an Enter before a code starts the sequence, and a second code right afterwards starts another one', () => {
  const detector = createHardwareScanDetector()
  let at = 1000
  const steps = ['Enter', ...'HB20 1', 'Enter', ...'HB20 2', 'Enter'].map((key) => ({ key, ...detector.take({ key, at: (at += 5) }) }))
  expect(steps.filter(({ scan }) => scan !== null).map(({ scan }) => scan)).toEqual(['HB20 1', 'HB20 2'])
  expect(steps.flatMap(({ isFirst }, index) => (isFirst ? [index] : []))).toEqual([0, 8])
})

test('an editing key ends a sequence, a lock key does not', () => {
  const keys = (between: string) => {
    const detector = createHardwareScanDetector()
    let at = 1000
    return [...'HB20', between, ...' 000123', 'Enter'].map((key) => detector.take({ key, at: (at += 5) }).scan).at(-1)
  }
  expect([keys('Backspace'), keys('CapsLock')]).toEqual([' 000123', 'HB20 000123'])
})
