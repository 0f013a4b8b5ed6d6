import type { ReaderOptions, ReadResult } from 'zxing-wasm/reader'
import { createScanConfirmer } from './scanConfirmer'
import { MAX_SYMBOLS_PER_PICTURE, SCANNER_DECODER_SETTINGS, hasFormats, toFormatName } from './decoderSettings'
import { CAMERA_EXTRA_PASS_COUNT, EXTRA_DECODE_PASS_FACTORIES, TILTED_LABEL_PASS_INDEXES, createUnmodifiedPass, createDecodePassInput, hasTiltedStripes, type DecodePass, type DecodePassInput } from './decodePasses'
import { addDistinctCode, type DecodedCode, type DoubtfulCode } from './decodedCode'
import { encodePgm, mapToSourcePoint, type GrayPicture } from './pixels'
import type { BlurredCode } from './blurred/blurredDecoder'

export interface DecodedFrame {
  /** Accepted codes of this frame. If several codes match the campaign's vehicles equally well, the first one is reported. */
  codes: DecodedCode[]
  /** A code detected in this frame, accepted or not, for drawing the outline; `null` when no code was detected. */
  seen: DecodedCode | null
  /** Duration of the decoding pass on the unmodified picture in milliseconds; `null` when this pass was skipped. */
  unmodifiedPassMs: number | null
  /** Name of the extra decoding pass that ran on this frame; `null` when no extra pass ran. */
  extraPass: string | null
  /** Whether further frames may yield more codes, because a code is not yet accepted or the search for tilted labels is incomplete. */
  hasUnconfirmed?: boolean
  /** Code with doubtful characters. The code is used only when the campaign's vehicle list contains it. */
  doubtful?: DoubtfulCode
}

/** Function that reads a blurred linear code from averaged pixel rows. Used for codes that ZXing cannot read. */
export type BlurredCodeDecodeFunction = (frame: GrayPicture, directions: readonly number[]) => Promise<BlurredCode | null>

/**
 * Decoding mode of a frame: `first` stops at the first code, `every` decodes all codes in view including tilted labels. `watch` only checks
 * whether a code is still in view.
 */
export type DecodeMode = 'first' | 'every' | 'watch'

/** Function of the barcode library ZXing that decodes the codes of a picture, given as the bytes of an image file. */
export type DecodeFunction = (picture: Uint8Array, options: ReaderOptions) => Promise<ReadResult[]>

export interface FrameDecodeOptions {
  mode?: DecodeMode
  /** Whether rotated or enlarged copies show the full frame, not a crop; true for photographs, where the code may be anywhere. */
  keepsFullFrame?: boolean
}

interface PassResult {
  confirmed: DecodedCode[]
  seen: DecodedCode[]
}
interface BlurredPassResult extends PassResult {
  name: 'blurred'
  doubtful?: DoubtfulCode
}

/** Maximum number of consecutive frames on which one decoding pass is repeated to confirm a code. */
const MAX_REPEATS = 2
/** Interval of the slow pass for blurred codes, in frames that show barcode-like stripes but yield no decoded code. */
const BLURRED_PASS_INTERVAL = 4
/** Time in milliseconds already spent on a frame after which the extra decoding pass is postponed to the next frame. */
export const POSTPONE_EXTRA_PASS_AFTER_MS = 15

/**
 * Creates a decoder of successive frames. A frame is first decoded unmodified. If no code is found, one extra pass decodes a modified copy;
 * the extra passes take turns. If decoding the unmodified frame was slow, the extra pass is postponed to the next frame, where it runs alone.
 * If a found code still needs confirmation, the same pass runs again on the next frame.
 */
export function createDecoder(read: DecodeFunction, settings = SCANNER_DECODER_SETTINGS, decodeBlurred: BlurredCodeDecodeFunction | null = null, now: () => number = () => performance.now()) {
  const confirmation = createScanConfirmer()
  let frames = 0
  let turn = 0
  let waited = 0
  let again: number | null = null
  /** Whether the extra pass of the last frame was postponed. The next frame then gets only the extra pass. */
  let postponed = false
  /** Number of frames with stripes but without a code since the last blurred-code pass. */
  let framesWithStripes = 0
  /** Number of decoding passes run in the mode 'every' (all codes in view) since the last frame in the mode 'first' (one code). */
  let everyModePasses = 0
  /**
   * Number of passes for tilted labels (`TILTED_LABEL_PASS_INDEXES`) that were run or skipped. The next frame continues with the pass after
   * these passes. A frame in the mode 'first' (one code) sets the number to 0.
   */
  let searched = 0
  /**
   * Pass that last read a code: the index of an extra pass, 'blurred' for the blurred-code pass, or `null` for the pass on the unmodified
   * frame. A code from the blurred-code pass counts even if doubtful; a code from any other pass counts only if accepted.
   */
  let lastRead: number | 'blurred' | null = null

  async function runPass({ picture, options, back }: DecodePass, isUnmodified: boolean): Promise<PassResult> {
    const results = await read(encodePgm(picture), options)
    const seen = results.filter(({ isValid }) => isValid).map(({ text, format, position: { topLeft, topRight, bottomRight, bottomLeft } }) => ({
      text,
      format: toFormatName(format, text),
      corners: [topLeft, topRight, bottomRight, bottomLeft].map((corner) => mapToSourcePoint(back, corner)),
    }))
    return { confirmed: seen.filter(({ text, format }) => confirmation.confirms({ text, format, isUnmodified })), seen }
  }

  interface ChosenPass {
    extra: DecodePass
    /** Index of the pass in `EXTRA_DECODE_PASS_FACTORIES`. */
    index: number
  }

  function createPass(index: typeof lastRead, input: DecodePassInput): ChosenPass | null {
    if (index === null || index === 'blurred') return null
    const extra = EXTRA_DECODE_PASS_FACTORIES[index]?.(input)
    return extra && hasFormats(extra.options) ? { extra, index } : null
  }

  /** Returns the next extra decoding pass that applies to this frame, taking the passes in turn, or null when none applies. */
  function nextExtraPass(input: DecodePassInput): ChosenPass | null {
    const count = input.keepsFullFrame ? EXTRA_DECODE_PASS_FACTORIES.length : CAMERA_EXTRA_PASS_COUNT
    for (let tries = 0; tries < count; tries++) {
      const chosen = createPass(turn++ % count, input)
      if (chosen) return chosen
    }
    return null
  }

  /** Returns the next pass of the mode 'every': the pass that read the last code, then passes for tilted labels, then all in turn. */
  function nextEveryModePass(input: DecodePassInput): ChosenPass | null {
    if (everyModePasses++ === 0) {
      const last = createPass(lastRead, input)
      if (last) return last
    }
    while (searched < TILTED_LABEL_PASS_INDEXES.length) {
      const chosen = createPass(TILTED_LABEL_PASS_INDEXES[searched++] ?? null, input)
      if (chosen) return chosen
    }
    return nextExtraPass(input)
  }

  /** Runs one extra decoding pass. Repeats the last one if the code that it found still needs confirmation, else runs the next one. */
  async function extraPass(input: DecodePassInput, every = false): Promise<PassResult & { name: string | null }> {
    const chosen = createPass(again, input) ?? (every ? nextEveryModePass(input) : nextExtraPass(input))
    again = null
    if (chosen === null) return { confirmed: [], seen: [], name: null }
    const { extra, index } = chosen
    const looked = await runPass(every ? { ...extra, options: { ...extra.options, maxNumberOfSymbols: MAX_SYMBOLS_PER_PICTURE } } : extra, false)
    if (looked.confirmed.length > 0) lastRead = index
    const isPending = every ? looked.confirmed.length < looked.seen.length : looked.seen.length > 0 && looked.confirmed.length === 0
    if (isPending && ++waited <= MAX_REPEATS) again = index
    return { ...looked, name: extra.name }
  }

  /** Runs a blurred-code pass when enough frames had stripes but no code; otherwise returns `null`. */
  async function blurredPass(input: DecodePassInput): Promise<BlurredPassResult | null> {
    if (decodeBlurred === null || again !== null || input.directions.length === 0) return null
    framesWithStripes += postponed ? 2 : 1 // also counts the previous frame, which was decoded only unmodified
    if (framesWithStripes < BLURRED_PASS_INTERVAL) return null
    framesWithStripes = 0
    return await readBlurred(input)
  }

  /** Reads a blurred code, certain or doubtful. If a code is read, records the blurred-code pass in `lastRead`. */
  async function readBlurred({ frame, directions }: DecodePassInput): Promise<BlurredPassResult> {
    const found = (await decodeBlurred?.(frame, directions)) ?? null
    const nothing: BlurredPassResult = { confirmed: [], seen: [], name: 'blurred' }
    if (found === null || !settings.linear.some((engine) => toFormatName(engine) === found.format)) return nothing
    const { text, format, corners, certain, alternatives } = found
    const code = { text, format, corners }
    lastRead = 'blurred'
    if (!certain) return { ...nothing, doubtful: { code, alternatives } }
    return { ...nothing, confirmed: confirmation.confirms({ text, format, isUnmodified: false, isBlurred: true }) ? [code] : [], seen: [code] }
  }

  /** Decodes every code in view: on the unmodified frame and in one extra decoding pass, because labels may also be tilted. */
  async function everyCode(frame: GrayPicture, keepsFullFrame: boolean): Promise<DecodedFrame> {
    const start = now()
    const unmodified = await runPass(createUnmodifiedPass(frame, 'every', settings), true)
    const unmodifiedPassMs = now() - start
    const input = createDecodePassInput(frame, keepsFullFrame, settings)
    const blurred = unmodified.seen.length === 0 ? await blurredPass(input) : null
    const extra = blurred ?? (await extraPass(input, true))
    if (unmodified.confirmed.length > 0 && extra.confirmed.length === 0) lastRead = null
    const codes = [...extra.confirmed, ...unmodified.confirmed].reduce<DecodedCode[]>(addDistinctCode, [])
    const sighted = [...unmodified.seen, ...extra.seen]
    const isSearched = searched >= TILTED_LABEL_PASS_INDEXES.length || !hasTiltedStripes(input)
    const hasUnconfirmed = !isSearched || sighted.some(({ text }) => codes.every((code) => code.text !== text))
    return { codes, seen: sighted[0] ?? null, unmodifiedPassMs, extraPass: extra.name, hasUnconfirmed, doubtful: blurred?.doubtful }
  }

  /** Checks whether any code is in view. Runs only one pass: the pass that last read a code (`lastRead`), or else that on the unmodified frame. */
  async function watchCode(frame: GrayPicture, keepsFullFrame: boolean): Promise<DecodedFrame> {
    const input = createDecodePassInput(frame, keepsFullFrame, settings)
    if (lastRead === 'blurred') {
      const { confirmed, seen, name, doubtful } = await readBlurred(input)
      return { codes: confirmed, seen: seen[0] ?? doubtful?.code ?? null, unmodifiedPassMs: null, extraPass: name, doubtful }
    }
    const last = createPass(lastRead, input)
    const { confirmed, seen } = await runPass(last?.extra ?? createUnmodifiedPass(frame, 'every', settings), last === null)
    return { codes: confirmed, seen: seen[0] ?? null, unmodifiedPassMs: null, extraPass: last?.extra.name ?? null }
  }

  /** Runs a blurred-code pass when one is due, otherwise an extra decoding pass. */
  async function runExtraPass(input: DecodePassInput, isEmpty = true): Promise<Omit<DecodedFrame, 'unmodifiedPassMs'>> {
    const blurred = isEmpty ? await blurredPass(input) : null
    postponed = false
    const { confirmed, seen, name } = blurred ?? (await extraPass(input))
    return { codes: confirmed, seen: seen[0] ?? null, extraPass: name, doubtful: blurred?.doubtful }
  }

  async function firstCode(frame: GrayPicture, keepsFullFrame: boolean): Promise<DecodedFrame> {
    const input = createDecodePassInput(frame, keepsFullFrame, settings)
    const [isRepeat, begin] = [again !== null, now()]
    if (isRepeat || postponed) {
      const extra = await runExtraPass(input)
      if (!isRepeat || extra.seen !== null) return { ...extra, unmodifiedPassMs: null }
    }
    const start = now()
    const unmodified = await runPass(createUnmodifiedPass(frame, keepsFullFrame ? 'photograph' : frames, settings), true)
    if (unmodified.seen.length === 0) frames++
    const done: DecodedFrame = { codes: unmodified.confirmed, seen: unmodified.seen[0] ?? null, unmodifiedPassMs: now() - start, extraPass: null }
    if (unmodified.confirmed.length > 0) {
      lastRead = null
      return done
    }
    if (unmodified.seen.length > 0 && ++waited <= MAX_REPEATS) return done
    if (unmodified.seen.length === 0 && again === null) waited = 0
    postponed = !keepsFullFrame && now() - begin > POSTPONE_EXTRA_PASS_AFTER_MS
    if (postponed) return done
    const extra = await runExtraPass(input, unmodified.seen.length === 0)
    return { ...done, ...extra, seen: done.seen ?? extra.seen }
  }

  return {
    async decode(frame: GrayPicture, { mode = 'first', keepsFullFrame = false }: FrameDecodeOptions = {}): Promise<DecodedFrame> {
      confirmation.nextFrame()
      if (mode !== 'first') postponed = false
      if (mode === 'every') return everyCode(frame, keepsFullFrame)
      if (mode === 'watch') return watchCode(frame, keepsFullFrame)
      everyModePasses = 0
      searched = 0
      return firstCode(frame, keepsFullFrame)
    },
    /** Clears all readings, and restarts the sequence of decoding passes, for a new label. */
    reset(): void {
      confirmation.clear()
      frames = 0
      turn = 0
      framesWithStripes = 0
      waited = 0
      again = null
      postponed = false
      lastRead = null
      everyModePasses = 0
      searched = 0
    },
  }
}

export type Decoder = ReturnType<typeof createDecoder>
