import { readFileSync } from 'node:fs'
import { join } from 'node:path'

type Rgb = [red: number, green: number, blue: number]

/** An appearance of the app: light or dark, with or without the high contrast for sunlight. */
export interface Appearance {
  isDark: boolean
  isSun: boolean
}

export const APPEARANCES: Appearance[] = [false, true].flatMap((isSun) => [false, true].map((isDark) => ({ isDark, isSun })))

const SOURCE = join(import.meta.dirname, '..')
export const readStyles = (path: string): string => readFileSync(join(SOURCE, path), 'utf8')
const tokensCss = readStyles('ui/tokens.css')

const escapeRegExp = (text: string): string => text.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&')

/** Returns the value of a property in the first rule with this selector; an empty string when the style file lacks it. */
export function readDeclaration(css: string, selector: string, property: string): string {
  const rule = new RegExp(`^${escapeRegExp(selector)} \\{([^}]*)\\}`, 'm').exec(css)?.[1] ?? ''
  return new RegExp(`^ *${escapeRegExp(property)}: (.*);`, 'm').exec(rule)?.[1] ?? ''
}

/** Splits the arguments of a CSS function at the commas outside of inner parentheses. */
function splitArguments(text: string): string[] {
  const parts: string[] = ['']
  let depth = 0
  for (const char of text) {
    depth += char === '(' ? 1 : char === ')' ? -1 : 0
    if (char === ',' && depth === 0) parts.push('')
    else parts.push(`${parts.pop() ?? ''}${char}`)
  }
  return parts.map((part) => part.trim())
}

/**
 * Returns the colour that a CSS value has in an appearance. Understands hexadecimal colours, `var()` of tokens, `light-dark()` and
 * `color-mix()` of two opaque colours.
 */
export function resolveColour(value: string, appearance: Appearance): Rgb {
  const [, name = '', inner = ''] = /^([a-z-]+)\((.*)\)$/.exec(value) ?? []
  const [first = '', second = '', third = ''] = splitArguments(inner)
  if (name === 'var') {
    const sun = appearance.isSun ? readDeclaration(tokensCss, ":root[data-contrast='sun']", first) : ''
    return resolveColour(sun || readDeclaration(tokensCss, ':root', first), appearance)
  }
  if (name === 'light-dark') return resolveColour(appearance.isDark ? second : first, appearance)
  if (name === 'color-mix') {
    const [, colour = '', share = ''] = /^(.*) (\d+)%$/.exec(second) ?? []
    const [mixed, base] = [resolveColour(colour, appearance), resolveColour(third, appearance)]
    const mix = (a: number, b: number) => (a * Number(share) + b * (100 - Number(share))) / 100
    return [mix(mixed[0], base[0]), mix(mixed[1], base[1]), mix(mixed[2], base[2])]
  }
  if (!/^#[\da-f]{6}$/i.test(value)) throw new Error(`the colour '${value}' is not understood`)
  const channelAt = (at: number) => Number.parseInt(value.slice(at, at + 2), 16)
  return [channelAt(1), channelAt(3), channelAt(5)]
}

/** Returns the relative luminance of a colour, as WCAG defines it. */
function luminanceOf(colour: Rgb): number {
  const linear = (channel: number) => (channel / 255 <= 0.03928 ? channel / 255 / 12.92 : ((channel / 255 + 0.055) / 1.055) ** 2.4)
  return 0.2126 * linear(colour[0]) + 0.7152 * linear(colour[1]) + 0.0722 * linear(colour[2])
}

/** Returns the contrast of two colours, as WCAG defines it: from 1 to 21. */
export function contrastOf(a: Rgb, b: Rgb): number {
  const [low = 0, high = 0] = [luminanceOf(a), luminanceOf(b)].toSorted((one, other) => one - other)
  return (high + 0.05) / (low + 0.05)
}
