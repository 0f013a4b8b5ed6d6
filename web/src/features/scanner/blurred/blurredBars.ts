import type { BarEdge } from './symbologies'

/** Appearance of the printed bars in a brightness profile: blur and ink spread. */
export interface BarAppearance {
  /** Standard deviation of the blur in modules (widths of the narrowest bar). */
  blur: number
  /** Width in modules by which the ink makes each bar wider; negative when bars are thinner than spaces. */
  spread: number
}

const FINE = 64
/** Distance in standard deviations beyond which the blur of an edge is not noticeable. */
export const BLUR_REACH_IN_SIGMAS = 3.5
const STEPS = Float64Array.from({ length: 2 * BLUR_REACH_IN_SIGMAS * FINE + 2 }, (_, index) => normalIntegral(index / FINE - BLUR_REACH_IN_SIGMAS))

const DENSITIES = Float64Array.from({ length: 2 * BLUR_REACH_IN_SIGMAS * FINE + 2 }, (_, index) => normalDensity(index / FINE - BLUR_REACH_IN_SIGMAS))

function normalDensity(z: number): number {
  return Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)
}

/** Returns the share of a normal distribution below `z`, computed by Simpson's rule from the middle. */
function normalIntegral(z: number): number {
  const parts = 32
  let sum = normalDensity(0) + normalDensity(z)
  for (let part = 1; part < parts; part++) sum += normalDensity((z * part) / parts) * (part % 2 === 1 ? 4 : 2)
  return 0.5 + (sum * z) / parts / 3
}

/** Returns the darkness, from 0 to 1, at a distance of `z` standard deviations from a blurred edge. */
export function computeBlurredStep(z: number): number {
  if (z <= -BLUR_REACH_IN_SIGMAS) return 0
  if (z >= BLUR_REACH_IN_SIGMAS) return 1
  const place = (z + BLUR_REACH_IN_SIGMAS) * FINE
  const index = Math.floor(place)
  const low = STEPS[index] ?? 0
  return low + ((STEPS[index + 1] ?? 1) - low) * (place - index)
}

/** Returns the position at which an edge appears. Spreading ink moves the start of a bar to the left and its end to the right. */
export const computeApparentEdgePosition = ({ at, rises }: BarEdge, spread: number): number => (rises ? at - spread / 2 : at + spread / 2)

/** Returns the darkness of blurred bars, from 0 to 1, at ascending positions in modules. `edges` must be in ascending order. */
export function renderBlurredBars(edges: readonly BarEdge[], places: Float64Array, { blur, spread }: BarAppearance): Float64Array {
  const dark = new Float64Array(places.length)
  const at = Float64Array.from(edges, (edge) => computeApparentEdgePosition(edge, spread))
  const signs = Float64Array.from(edges, ({ rises }) => (rises ? 1 : -1))
  const reach = BLUR_REACH_IN_SIGMAS * blur
  let first = 0
  let passed = 0
  for (let index = 0; index < places.length; index++) {
    const place = places[index] ?? 0
    while (first < at.length && (at[first] ?? 0) < place - reach) passed += signs[first++] ?? 0
    let sum = passed
    for (let edge = first; edge < at.length && (at[edge] ?? 0) < place + reach; edge++) {
      sum += (signs[edge] ?? 0) * computeBlurredStep((place - (at[edge] ?? 0)) / blur)
    }
    dark[index] = sum
  }
  return dark
}

/** Derivatives of the darkness at each position: with respect to the position, the blur and the ink spread. */
export interface DarknessSlopes {
  place: Float64Array
  blur: Float64Array
  spread: Float64Array
}

/** Returns the derivatives of the darkness that `renderBlurredBars` returns. */
export function computeDarknessSlopes(edges: readonly BarEdge[], places: Float64Array, { blur, spread }: BarAppearance): DarknessSlopes {
  const [alongPlace, alongBlur, alongSpread] = [new Float64Array(places.length), new Float64Array(places.length), new Float64Array(places.length)]
  const at = Float64Array.from(edges, (edge) => computeApparentEdgePosition(edge, spread))
  const signs = Float64Array.from(edges, ({ rises }) => (rises ? 1 : -1))
  const reach = BLUR_REACH_IN_SIGMAS * blur
  let first = 0
  for (let index = 0; index < places.length; index++) {
    const place = places[index] ?? 0
    while (first < at.length && (at[first] ?? 0) <= place - reach) first++
    let [byPlace, byBlur, bySpread] = [0, 0, 0]
    for (let edge = first; edge < at.length && (at[edge] ?? 0) < place + reach; edge++) {
      const z = (place - (at[edge] ?? 0)) / blur
      const density = (DENSITIES[Math.round((z + BLUR_REACH_IN_SIGMAS) * FINE)] ?? 0) / blur
      const signed = (signs[edge] ?? 0) * density
      byPlace += signed
      byBlur -= signed * z
      bySpread += density / 2 // wider ink moves both kinds of edges outwards
    }
    alongPlace[index] = byPlace
    alongBlur[index] = byBlur
    alongSpread[index] = bySpread
  }
  return { place: alongPlace, blur: alongBlur, spread: alongSpread }
}
