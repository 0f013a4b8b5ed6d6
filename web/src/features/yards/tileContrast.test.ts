import { expect, test } from 'vitest'
import { APPEARANCES, contrastOf, readDeclaration, readStyles, resolveColour } from '../../testing/contrast'

const css = readStyles('features/yards/YardTiles.module.css')
const SUN = ":root[data-contrast='sun'] .tile progress"
const MIN_CONTRAST = 3

test.each(APPEARANCES.filter(({ isSun }) => isSun))('in sunlight, the bar of a yard has a contrast of 3:1 to its tile and to its filled part, dark: $isDark', (appearance) => {
  const bar = resolveColour(readDeclaration(css, SUN, 'background'), appearance)
  for (const other of ['var(--tile-aqua)', 'var(--tile-aqua-ink)']) expect(contrastOf(bar, resolveColour(other, appearance))).toBeGreaterThanOrEqual(MIN_CONTRAST)
})

test.each(APPEARANCES)('the filled part of the bar has a contrast of 3:1 to each tile, dark: $isDark, sun: $isSun', (appearance) => {
  for (const colour of ['aqua', 'sky', 'seafoam', 'slate']) {
    expect(contrastOf(resolveColour(`var(--tile-${colour}-ink)`, appearance), resolveColour(`var(--tile-${colour})`, appearance))).toBeGreaterThanOrEqual(MIN_CONTRAST)
  }
})
