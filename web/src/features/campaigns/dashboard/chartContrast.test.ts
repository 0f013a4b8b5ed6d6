import { expect, test } from 'vitest'
import { APPEARANCES, contrastOf, readDeclaration, readStyles, resolveColour } from '../../../testing/contrast'

const css = readStyles('features/campaigns/dashboard/HourlyColumnChart.module.css')
const MIN_CONTRAST = 3

test.each(APPEARANCES)('the columns of the hours have a contrast of 3:1, dark: $isDark, sun: $isSun', (appearance) => {
  // Within a chart, the accent is the colour of chart lines.
  const colourOf = (value: string) => resolveColour(value.replaceAll('--accent)', '--chart-line)'), appearance)
  const contrast = (selector: string, property: string) => contrastOf(colourOf(readDeclaration(css, selector, property)), resolveColour('var(--raised)', appearance))
  expect(readDeclaration(css, '.columnNow', 'opacity')).toBe('')
  for (const found of [contrast('.column', 'fill'), contrast('.columnNow', 'stroke'), contrast('.noColumn', 'fill')]) expect(found).toBeGreaterThanOrEqual(MIN_CONTRAST)
})
