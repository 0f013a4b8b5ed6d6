import { expect, test } from 'vitest'
import { APPEARANCES, contrastOf, resolveColour, type Appearance } from '../testing/contrast'

const MIN_CONTRAST = 4.5
const colourOf = (token: string, appearance: Appearance) => resolveColour(`var(--${token})`, appearance)

const TEXTS = ['status-ok', 'status-ng', 'status-repair', 'status-repair-ok', 'status-not-found', 'status-gate-out', 'status-soff-bl', 'accent', 'ink-quiet']

test.each(['raised', 'accent-tint', 'hover'])('statuses and links have a contrast of 4.5:1 on %s, light, dark and in sunlight', (surface) => {
  const low = TEXTS.filter((text) => APPEARANCES.some((appearance) => !(contrastOf(colourOf(text, appearance), colourOf(surface, appearance)) >= MIN_CONTRAST)))
  expect(low).toEqual([])
})

test('a hovered row and a selected row differ in colour', () => {
  for (const appearance of APPEARANCES.filter(({ isSun }) => !isSun)) expect(colourOf('hover', appearance)).not.toEqual(colourOf('accent-tint', appearance))
})
