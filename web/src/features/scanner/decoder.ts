import type { ReaderOptions, ReadResult } from 'zxing-wasm/reader'
import { createJudge } from './accept'
import { formatName } from './formats'
import { EXTRA, plainLook, sightOf, type Look, type Sight } from './looks'
import { fileOf, mapped, type Gray, type Point } from './pixels'

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
  /** Milliseconds that the plain look took; null where none was needed. */
  plainMs: number | null
  /** The extra look of this frame, if it came to one. */
  look: string | null
}

/** The engine: takes a picture as a file. */
export type Read = (picture: Uint8Array, options: ReaderOptions) => Promise<ReadResult[]>

export interface FrameOptions {
  /** Look for every code in view, not only the first. */
  several?: boolean
  /** Keep turned pictures whole: for photographs, where the code may be anywhere. */
  whole?: boolean
}

interface Looked {
  believed: Code[]
  seen: Code[]
}

/** So many frames in a row may wait for a second sighting before the extra looks go on. */
const PATIENCE = 2

/**
 * Decodes frame after frame: a plain look at each, and one extra look in turn where that saw nothing.
 *
 * What was seen and needs a second sighting is looked for in the same way in the next frame, which is the quickest.
 */
export function createDecoder(read: Read, now: () => number = () => performance.now()) {
  const judge = createJudge()
  let frames = 0
  let turn = 0
  let waited = 0
  let again: number | null = null

  async function look({ picture, options, back }: Look, plain: boolean): Promise<Looked> {
    const results = await read(fileOf(picture), options)
    const seen = results.filter(({ isValid }) => isValid).map(({ text, format, position: { topLeft, topRight, bottomRight, bottomLeft } }) => ({
      text,
      format: formatName(format, text),
      corners: [topLeft, topRight, bottomRight, bottomLeft].map((corner) => mapped(back, corner)),
    }))
    return { believed: seen.filter(({ text, format }) => judge.believes({ text, format, plain })), seen }
  }

  /** The next of the extra looks that this frame allows. */
  function nextOf(sight: Sight): { extra: Look; which: number } | null {
    for (let tries = 0; tries < EXTRA.length; tries++) {
      const which = turn++ % EXTRA.length
      const extra = EXTRA[which]?.(sight)
      if (extra) return { extra, which }
    }
    return null
  }

  /** An extra look: the one that saw something in the last frame, else the next in turn. */
  async function extraLook(frame: Gray, whole: boolean): Promise<Looked & { name: string | null }> {
    const sight = sightOf(frame, whole)
    const repeated = again === null ? null : EXTRA[again]?.(sight)
    const chosen = repeated && again !== null ? { extra: repeated, which: again } : nextOf(sight)
    again = null
    if (chosen === null) return { believed: [], seen: [], name: null }
    const looked = await look(chosen.extra, false)
    if (looked.seen.length > 0 && looked.believed.length === 0 && ++waited <= PATIENCE) again = chosen.which
    return { ...looked, name: chosen.extra.name }
  }

  return {
    async decode(frame: Gray, { several = false, whole = false }: FrameOptions = {}): Promise<Decoded> {
      judge.nextFrame()
      if (again !== null && !several) {
        const { believed, seen, name } = await extraLook(frame, whole)
        if (believed.length > 0) return { codes: believed, seen: seen[0] ?? null, plainMs: null, look: name }
      }
      const start = now()
      const plain = await look(plainLook(frame, frames, several), true)
      if (!several && plain.seen.length === 0) frames++
      const done = { codes: plain.believed, seen: plain.seen[0] ?? null, plainMs: now() - start, look: null }
      if (plain.believed.length > 0 || several) return done
      if (plain.seen.length > 0 && ++waited <= PATIENCE) return done
      if (plain.seen.length === 0 && again === null) waited = 0
      const { believed, seen, name } = await extraLook(frame, whole)
      return { ...done, codes: believed, seen: done.seen ?? seen[0] ?? null, look: name }
    },
    /** Forgets what was seen and starts with the first look, as for another label. */
    reset(): void {
      judge.forget()
      frames = 0
      turn = 0
      waited = 0
      again = null
    },
  }
}

export type Decoder = ReturnType<typeof createDecoder>
