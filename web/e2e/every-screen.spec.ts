import { createRequire } from 'node:module'
import { expect, test, type Page } from './support/test'
import type { AxeResults } from 'axe-core'
import { getOverflowWidth } from './support/parts'
import { SIZES, takeScreenshot } from './support/screenshots'
import { everyScreen, openScreen } from './support/screens'

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js')
const SMALLEST = 44
/** Whether to take screenshots in every theme, for checking them by eye. */
const EVERY_LOOK = process.env.PATIO_EVERY_LOOK === '1'

/** Returns the accessibility violations that axe finds on the current screen, one line each. */
async function found(page: Page, rules?: string[]): Promise<string[]> {
  const options = { resultTypes: ['violations'], ...(rules ? { runOnly: rules } : {}) }
  const results = (await page.evaluate(`axe.run(document, ${JSON.stringify(options)})`)) as AxeResults
  return results.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target, any }) => `${target.join(' ')} ${any[0]?.message ?? ''}`).join(', ')}`)
}

/** Returns the buttons, links and fields that are smaller than a fingertip, except links in running text. */
const tooSmall = (page: Page, smallest: number) =>
  page.evaluate((least) => {
    const modal = document.querySelector('dialog[open]') ?? document
    const parts = [...modal.querySelectorAll<HTMLElement>('a[href], button, input, select, textarea, summary, [role=tab]')]
    const target = (part: HTMLElement): DOMRect => {
      const after = getComputedStyle(part, '::after')
      const spread = after.content !== 'none' && after.position === 'absolute' && after.inset === '0px'
      const label = part.matches('input[type=checkbox], input[type=radio], input[type=file]') ? part.closest('label') : null
      return (label ?? (spread ? (part.offsetParent ?? part) : part)).getBoundingClientRect()
    }
    return parts
      .filter((part) => part.checkVisibility({ visibilityProperty: true }) && !(part.matches('p a, article a') && getComputedStyle(part).display === 'inline'))
      .map((part) => ({ part, box: target(part) }))
      .filter(({ box }) => box.width < least - 0.5 || box.height < least - 0.5)
      .map(({ part, box }) => `${part.tagName.toLowerCase()} "${part.getAttribute('aria-label') ?? part.textContent?.trim().slice(0, 40) ?? ''}" ${Math.round(box.width)}×${Math.round(box.height)}`)
  }, smallest)

/** Returns texts that are cut off without an ellipsis or overflow their box. */
const cutOff = (page: Page) =>
  page.evaluate(() => {
    const meant = (style: CSSStyleDeclaration) => style.textOverflow === 'ellipsis' || /auto|scroll/.test(style.overflowX)
    const ownWords = (part: Element) => [...part.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent?.trim() !== '')
    return [...document.querySelectorAll<HTMLElement>('main *, header *, dialog *')]
      .filter((part) => ownWords(part) && part.checkVisibility() && !part.closest('.sr-only, [class*=sr-only]'))
      .filter((part) => part.scrollWidth > part.clientWidth + 1 && part.clientWidth > 0 && !meant(getComputedStyle(part)))
      .map((part) => `${part.tagName.toLowerCase()} "${part.textContent?.trim().slice(0, 40)}" ${part.scrollWidth} in ${part.clientWidth}`)
  })

/** Returns the icons that a narrow row squeezes out of their square shape. */
const squeezed = (page: Page) =>
  page.evaluate(() => [...document.querySelectorAll<SVGElement>('svg[viewBox="0 0 24 24"]')]
    .map((icon) => ({ icon, box: icon.getBoundingClientRect() }))
    .filter(({ icon, box }) => icon.checkVisibility() && Math.abs(box.width - box.height) > 0.5)
    .map(({ icon, box }) => `${box.width.toFixed(1)}×${box.height.toFixed(1)} in "${icon.parentElement?.textContent?.trim().slice(0, 40)}"`))

/** Sets or, with an empty text, removes the attributes of theme and contrast. */
const wear = (page: Page, theme: string, contrast: string) =>
  page.evaluate(async ([name, more]) => {
    for (const [attribute, value] of [['data-theme', name], ['data-contrast', more]] as const) {
      if (value === '') document.documentElement.removeAttribute(attribute)
      else document.documentElement.setAttribute(attribute, value)
    }
    for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame) // three frames, after which no transition is running
  }, [theme, contrast] as const)

/** Rules of axe that depend on colours. All other rules give the same result in every theme. */
const COLOURS = ['color-contrast', 'link-in-text-block']

test.describe.configure({ mode: 'parallel' })

for (const viewport of SIZES) {
  test.describe(`at ${viewport.width}`, () => {
    test.use({ viewport, hasTouch: true }) // laptops may have a touch screen

    test('no screen is wider than the window, cuts words off, is too small for a finger, or lets axe find anything', async ({ page }) => {
      test.setTimeout(420_000)
      await page.addInitScript({ path: AXE })
      await page.emulateMedia({ reducedMotion: 'reduce', colorScheme: 'light' })
      for (const screen of await everyScreen(page.request)) {
        await openScreen(page, screen)
        await wear(page, '', '') // a screen opened by the router has the look of the screen before it
        await takeScreenshot(page, `screen-${screen.name}`)
        expect.soft(await getOverflowWidth(page), `${screen.name} is wider than the window`).toBeLessThanOrEqual(0)
        expect.soft(await cutOff(page), `${screen.name} cuts words off`).toEqual([])
        expect.soft(await squeezed(page), `${screen.name} squeezes icons`).toEqual([])
        expect.soft(await tooSmall(page, SMALLEST), `${screen.name} has targets that are too small`).toEqual([])
        expect.soft(await found(page), `axe on ${screen.name}`).toEqual([])
        await wear(page, 'dark', '')
        if (EVERY_LOOK) await takeScreenshot(page, `dark-${screen.name}`)
        expect.soft(await found(page, COLOURS), `axe on ${screen.name}, dark`).toEqual([])
        await wear(page, 'light', 'sun')
        if (EVERY_LOOK) await takeScreenshot(page, `sun-${screen.name}`)
        expect.soft(await found(page, ['color-contrast-enhanced']), `7:1 on ${screen.name}, in the sun`).toEqual([])
      }
    })
  })
}
