import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const css = readFileSync(join(import.meta.dirname, 'tokens.css'), 'utf8')
const MIN_CONTRAST = 4.5

/** Returns the light and the dark value of a token, outside of the high-contrast theme. */
function valuesOf(token: string): [string, string] {
  const [, light, dark, other] = new RegExp(`^  --${token}: (?:light-dark\\((#\\w+), (#\\w+)\\)|var\\(--([\\w-]+)\\));`, 'm').exec(css) ?? []
  return other === undefined ? [light ?? '', dark ?? ''] : valuesOf(other)
}

/** Returns the relative luminance of a colour, as WCAG defines it. */
function luminanceOf(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255
    return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function contrastOf(a: string, b: string): number {
  const [low = 0, high = 0] = [luminanceOf(a), luminanceOf(b)].toSorted((one, other) => one - other)
  return (high + 0.05) / (low + 0.05)
}

const TEXTS = ['status-ok', 'status-ng', 'status-repair', 'status-repair-ok', 'status-not-found', 'status-gate-out', 'status-soff-bl', 'accent', 'ink-quiet']

test.each(['raised', 'accent-tint', 'hover'])('statuses and links have a contrast of 4.5:1 on %s, light and dark', (surface) => {
  const low = TEXTS.filter((text) => [0, 1].some((theme) => !(contrastOf(valuesOf(text)[theme] ?? '', valuesOf(surface)[theme] ?? '') >= MIN_CONTRAST)))
  expect(low).toEqual([])
})

test('a hovered row and a selected row differ in colour', () => {
  expect(valuesOf('hover')).not.toEqual(valuesOf('accent-tint'))
})
