import type { ReaderOptions, ReadResult } from 'zxing-wasm/reader'
import { createJudge } from './accept'
import { formatName } from './formats'
import { EXTRA, plainLook, sightOf, type Look } from './looks'
import { mapped, rgbaOf, type Gray, type Point, type Rgba } from './pixels'

/** A code that is believed, with its corners in the frame. */
export interface Code {
  text: string
  format: string
  corners: Point[]
}

export interface Decoded {
  /** What is believed; the first is the one to take unless another fits better. */
  codes: Code[]
  /** What was seen in this frame, believed or not, for the outline. */
  seen: Code | null
  /** Milliseconds that the plain look took. */
  plainMs: number
  /** The extra look of this frame, if it came to one. */
  look: string | null
}

export type Read = (picture: Rgba, options: ReaderOptions) => Promise<ReadResult[]>

export interface FrameOptions {
  /** Look for every code in view, not only the first. */
  several?: boolean
  /** Keep turned pictures whole: for photographs, where the code may be anywhere. */
  whole?: boolean
}

/** Decodes frame after frame: a plain look at each, and one extra look in turn where that saw nothing to believe. */
export function createDecoder(read: Read, now: () => number = () => performance.now()) {
  const judge = createJudge()
  let turn = 0

  async function look({ picture, options, back }: Look, plain: boolean, rgba?: Rgba): Promise<{ believed: Code[]; seen: Code[] }> {
    const results = await read(rgba ?? rgbaOf(picture), options)
    const seen = results.filter(({ isValid }) => isValid).map(({ text, format, position: { topLeft, topRight, bottomRight, bottomLeft } }) => ({
      text,
      format: formatName(format, text),
      corners: [topLeft, topRight, bottomRight, bottomLeft].map((corner) => mapped(back, corner)),
    }))
    return { believed: seen.filter(({ text, format }) => judge.believes({ text, format, plain })), seen }
  }

  return {
    async decode(frame: Gray, { several = false, whole = false }: FrameOptions = {}, rgba?: Rgba): Promise<Decoded> {
      judge.nextFrame()
      const start = now()
      const plain = await look(plainLook(frame, several), true, rgba)
      const plainMs = now() - start
      if (plain.believed.length > 0 || several) return { codes: plain.believed, seen: plain.seen[0] ?? null, plainMs, look: null }
      const sight = sightOf(frame, whole)
      let extra: Look | null = null
      for (let tries = 0; extra === null && tries < EXTRA.length; tries++) extra = EXTRA[turn++ % EXTRA.length]?.(sight) ?? null
      if (extra === null) return { codes: [], seen: plain.seen[0] ?? null, plainMs, look: null }
      const { believed, seen } = await look(extra, false)
      return { codes: believed, seen: plain.seen[0] ?? seen[0] ?? null, plainMs, look: extra.name }
    },
    /** Forgets what was seen and starts with the first look, as for another label. */
    reset(): void {
      judge.forget()
      turn = 0
    },
  }
}

export type Decoder = ReturnType<typeof createDecoder>
