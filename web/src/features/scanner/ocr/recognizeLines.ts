import type { Block } from 'tesseract.js'
import type { RecognizedLine } from './protocol'

const SPACE = { text: ' ', confidence: 0 }

/** Returns the characters that the OCR engine read in a line, with a space between words. */
export function toRecognizedLine(blocks: readonly Block[] | null): RecognizedLine {
  const words = (blocks ?? []).flatMap(({ paragraphs }) => paragraphs).flatMap(({ lines }) => lines).flatMap((line) => line.words)
  const symbols = words.flatMap((word, index) => (index === 0 ? word.symbols : [SPACE, ...word.symbols]))
  return { text: symbols.map(({ text }) => text).join(''), confidences: symbols.flatMap(({ text, confidence }) => [...text].map(() => confidence)) }
}

/** Reads lines in the given order until `isEnough` returns true. Returns the texts from top to bottom, with `null` for unread lines. */
export async function recognizeLines(
  order: readonly number[], read: (place: number) => Promise<RecognizedLine>, isEnough: (texts: (RecognizedLine | null)[]) => Promise<boolean>,
): Promise<(RecognizedLine | null)[]> {
  const texts = Array.from({ length: Math.max(0, ...order.map((place) => place + 1)) }, (): RecognizedLine | null => null)
  for (const place of order) {
    texts[place] = await read(place)
    if (await isEnough(texts)) break
  }
  return texts
}
