import type { Decoded } from './decoder'
import type { Rgba } from './pixels'

/** One picture of the camera: a bitmap where the worker can read it, else its bytes. */
export type Frame = ImageBitmap | Rgba

/** What the page tells the worker. */
export type Order = { kind: 'frame'; id: number; frame: Frame; several: boolean } | { kind: 'reset' }

/** What the worker tells the page. */
export type Report =
  | { kind: 'ready' }
  | { kind: 'failed'; message: string }
  | { kind: 'decoded'; id: number; decoded: Decoded }
  | { kind: 'broken'; id: number; message: string }
