/** Reads lines one by one in the given order until the texts suffice to identify a vehicle. Returns the texts from top to bottom, with `null` for a line that was not read. */
export async function readLines(
  order: readonly number[], read: (place: number) => Promise<string>, isEnough: (texts: (string | null)[]) => Promise<boolean>,
): Promise<(string | null)[]> {
  const texts = Array.from({ length: Math.max(0, ...order.map((place) => place + 1)) }, (): string | null => null)
  for (const place of order) {
    texts[place] = await read(place)
    if (await isEnough(texts)) break
  }
  return texts
}
