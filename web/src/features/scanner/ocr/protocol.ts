import type { CameraFrame } from '../protocol'

/** Characters of a line, and the confidence of each in percent. */
export interface RecognizedLine {
  text: string
  confidences: number[]
}

/** Message from the page to the OCR worker, which reads the characters of a label. */
export type OcrRequest =
  /** Finds the text lines of a picture, and prepares the lines for reading. */
  | { kind: 'find'; frame: CameraFrame }
  /** Reads one line of the last picture. `place` is the index of the line. */
  | { kind: 'read'; place: number }

/** Message from the OCR worker to the page. */
export type OcrResponse =
  | { kind: 'ready' }
  /** Indexes of the detected lines in the order in which the lines should be read. The topmost line has index 0. */
  | { kind: 'found'; order: number[] }
  | { kind: 'text'; line: RecognizedLine }
  /** The OCR engine has failed, and the page has to start a new worker. */
  | { kind: 'failed'; message: string }
