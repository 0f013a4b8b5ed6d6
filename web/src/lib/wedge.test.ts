import { expect, test } from 'vitest'
import { createWedge } from './wedge'

function type(text: string, gap: number) {
  const wedge = createWedge()
  let at = 1000
  let scan: string | null = null
  for (const key of [...text, 'Enter']) scan = wedge.take({ key, at: (at += gap) }).scan
  return scan
}

test('fast keys ended by Enter are a scan', () => {
  expect(type('HB20 000123', 8)).toBe('HB20 000123')
})

test('what a person types is none, nor is a short run', () => {
  expect([type('HB20 000123', 120), type('ok', 5)]).toEqual([null, null])
})

test('a slow key before a run is not part of it, and Shift between keys is nothing', () => {
  const wedge = createWedge()
  for (const [key, at] of [['x', 0], ['A', 900], ['Shift', 905], ['B', 910], ['1', 920], ['2', 930], ['3', 940]] as const) wedge.take({ key, at })
  expect(wedge.take({ key: 'Enter', at: 950 }).scan).toBe('AB123')
})
