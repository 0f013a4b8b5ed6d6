import type { BarEdge } from './symbologies'

/** Appearance of the printed bars in a brightness profile: blur and ink spread. */
export interface BarDistortion {
  /** Standard deviation of the blur in modules (widths of the narrowest bar). */
  blur: number
  /** Ink spread: width in modules by which bars are wider than specified; negative when bars are thinner. */
  spread: number
}

const FINE = 64
/** Distance from a blurred edge, in standard deviations of the blur, beyond which the blur is negligible. */
export const BLUR_CUTOFF_IN_SIGMAS = 3.5
const STEPS = Float64Array.from({ length: 2 * BLUR_CUTOFF_IN_SIGMAS * FINE + 2 }, (_, index) => normalIntegral(index / FINE - BLUR_CUTOFF_IN_SIGMAS))

const DENSITIES = Float64Array.from({ length: 2 * BLUR_CUTOFF_IN_SIGMAS * FINE + 2 }, (_, index) => normalDensity(index / FINE - BLUR_CUTOFF_IN_SIGMAS))

function normalDensity(z: number): number {
  return Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)
}

/** Returns the cumulative standard normal distribution at `z`, integrated from 0 by Simpson's rule. */
function normalIntegral(z: number): number {
  const parts = 32
  let sum = normalDensity(0) + normalDensity(z)
  for (let part = 1; part < parts; part++) sum += normalDensity((z * part) / parts) * (part % 2 === 1 ? 4 : 2)
  return 0.5 + (sum * z) / parts / 3
}

/** Returns the darkness, from 0 to 1, at `z` standard deviations from a blurred edge; positive `z` is on the dark side. */
export function computeBlurredStep(z: number): number {
  if (z <= -BLUR_CUTOFF_IN_SIGMAS) return 0
  if (z >= BLUR_CUTOFF_IN_SIGMAS) return 1
  const place = (z + BLUR_CUTOFF_IN_SIGMAS) * FINE
  const index = Math.floor(place)
  const low = STEPS[index] ?? 0
  return low + ((STEPS[index + 1] ?? 1) - low) * (place - index)
}

/** Returns the position of an edge after ink spread, in modules. Ink spread widens a bar equally on both sides. */
export const computeApparentEdgePosition = ({ at, rises }: BarEdge, spread: number): number => (rises ? at - spread / 2 : at + spread / 2)

/** Returns the darkness of blurred bars, from 0 to 1, at ascending positions in modules. `edges` must be in ascending order. */
export function renderBlurredBars(edges: readonly BarEdge[], places: Float64Array, { blur, spread }: BarDistortion): Float64Array {
  const dark = new Float64Array(places.length)
  const at = Float64Array.from(edges, (edge) => computeApparentEdgePosition(edge, spread))
  const signs = Float64Array.from(edges, ({ rises }) => (rises ? 1 : -1))
  const reach = BLUR_CUTOFF_IN_SIGMAS * blur
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

/** Partial derivatives of the darkness of blurred bars at each sampled position, with respect to position, blur and ink spread. */
export interface DarknessDerivatives {
  place: Float64Array
  blur: Float64Array
  spread: Float64Array
}

/** Returns the partial derivatives of the darkness that `renderBlurredBars` returns for the same arguments. */
export function computeDarknessDerivatives(edges: readonly BarEdge[], places: Float64Array, { blur, spread }: BarDistortion): DarknessDerivatives {
  const [alongPlace, alongBlur, alongSpread] = [new Float64Array(places.length), new Float64Array(places.length), new Float64Array(places.length)]
  const at = Float64Array.from(edges, (edge) => computeApparentEdgePosition(edge, spread))
  const signs = Float64Array.from(edges, ({ rises }) => (rises ? 1 : -1))
  const reach = BLUR_CUTOFF_IN_SIGMAS * blur
  let first = 0
  for (let index = 0; index < places.length; index++) {
    const place = places[index] ?? 0
    while (first < at.length && (at[first] ?? 0) <= place - reach) first++
    let [byPlace, byBlur, bySpread] = [0, 0, 0]
    for (let edge = first; edge < at.length && (at[edge] ?? 0) < place + reach; edge++) {
      const z = (place - (at[edge] ?? 0)) / blur
      const density = (DENSITIES[Math.round((z + BLUR_CUTOFF_IN_SIGMAS) * FINE)] ?? 0) / blur
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
