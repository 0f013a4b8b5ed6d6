import type { GrayPicture } from '../pixels'
import { cutLine, findLines, orderLines } from './lines'
import { MAX_LINES } from './settings'

/**
 * Reads the lines of a picture one by one, those with the shape of an identifier first, until the texts are enough. Returns the texts from
 * top to bottom, with `null` for a line that was not read.
 */
export async function readLines(
  picture: GrayPicture, recognize: (line: GrayPicture) => Promise<string>, isEnough: (texts: (string | null)[]) => Promise<boolean>,
): Promise<(string | null)[]> {
  const lines = findLines(picture)
  const texts: (string | null)[] = lines.map(() => null)
  for (const place of orderLines(lines).slice(0, MAX_LINES)) {
    const line = lines[place]
    if (line === undefined) continue
    texts[place] = (await recognize(cutLine(picture, line))).trim()
    if (await isEnough(texts)) break
  }
  return texts
}
