import type { DecodedCode } from './decodedCode'
import type { DecodedFrame, DecodeMode } from './decoder'
import type { DecoderSettings } from './decoderSettings'
import type { RgbaPicture } from './pixels'

/** One camera frame: a bitmap when the worker can draw it, else pixel data. */
export type CameraFrame = ImageBitmap | RgbaPicture

/** Message from the page to the web worker that decodes frames and photographs. */
export type DecodeWorkerRequest =
  | { kind: 'frame'; id: number; frame: CameraFrame; mode: DecodeMode }
  | { kind: 'photograph'; id: number; picture: RgbaPicture; settings: DecoderSettings }
  /** Clears the readings of earlier frames and sets the formats and options for the next frames. */
  | { kind: 'reset'; settings: DecoderSettings }

/** Message from the web worker to the page. */
export type DecodeWorkerResponse =
  | { kind: 'ready' }
  | { kind: 'failed'; message: string }
  | { kind: 'decoded'; id: number; decoded: DecodedFrame }
  | { kind: 'detected'; id: number; codes: DecodedCode[] }
  /** The picture of request `id` could not be decoded. If `fatal`, ZXing has failed and a new worker has to replace this one. */
  | { kind: 'broken'; id: number; message: string; fatal: boolean }
