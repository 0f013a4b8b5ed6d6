import { expect, test } from 'vitest'
import { createBlankPicture, rotatePicture, type GrayPicture } from '../pixels'
import { extractLinePicture, findTextLines, listLineIndexesByPriority, stretchContrast } from './lines'

const SIDE = 600

/**
 * Draws rows of letter-like marks (upright strokes with crossbars) of the given heights, on the grey that a rotated picture has at its
 * edges.
 */
function drawRows(rows: { y: number; height: number; marks: number }[]): GrayPicture {
  const picture = createBlankPicture(SIDE, SIDE)
  picture.data.fill(128)
  const fill = (x: number, y: number, width: number, height: number) => {
    for (let row = y; row < y + height; row++) picture.data.fill(20, row * SIDE + x, row * SIDE + x + width)
  }
  for (const { y, height, marks } of rows) {
    const [pitch, stroke] = [Math.round(height * 0.7), Math.max(2, Math.round(height / 8))]
    for (let mark = 0; mark < marks; mark++) {
      const x = Math.round((SIDE - marks * pitch) / 2) + mark * pitch
      fill(x, y, stroke, height)
      fill(x + Math.round(height / 2), y, stroke, height)
      for (const bar of [0, (height - stroke) / 2, height - stroke]) fill(x, y + Math.round(bar), Math.round(height / 2), stroke)
    }
  }
  return picture
}

test('lines are found with their place, height and slant, and the one with the shape of an identifier is read first', () => {
  const picture = drawRows([{ y: 220, height: 16, marks: 10 }, { y: 270, height: 40, marks: 14 }, { y: 350, height: 16, marks: 10 }])
  for (const degrees of [-10, -3, 0, 5, 12]) {
    const lines = findTextLines(rotatePicture(picture, (degrees * Math.PI) / 180).picture).filter(({ x, y }) => Math.hypot(x - SIDE / 2, y - SIDE / 2) < 100)
    expect(lines.length, `${degrees}°`).toBe(3)
    const [first] = listLineIndexesByPriority(lines)
    const main = lines[first ?? -1]
    expect(first).toBe(1)
    expect(Math.abs((main?.height ?? 0) - 40), `height at ${degrees}°`).toBeLessThan(10)
    expect(Math.abs(((main?.slant ?? 0) * 180) / Math.PI + degrees), `slant at ${degrees}°`).toBeLessThan(0.6)
  }
})

test('a picture without print and a barcode have no lines', () => {
  const plain = createBlankPicture(SIDE, SIDE)
  plain.data.fill(128)
  expect(findTextLines(plain)).toEqual([])
  const bars = createBlankPicture(SIDE, SIDE)
  bars.data.fill(220)
  for (let y = 250; y < 330; y++) for (let x = 100; x < 500; x++) if (Math.floor(x / 4) % 3 === 0) bars.data[y * SIDE + x] = 40
  expect(findTextLines(bars)).toEqual([])
})

test('a line is cut out upright, 30 pixels tall, dark on light and with full contrast', () => {
  const picture = drawRows([{ y: 280, height: 40, marks: 14 }])
  const dim = { ...picture, data: picture.data.map((shade) => 100 + shade / 8) }
  const light = { ...picture, data: picture.data.map((shade) => 255 - shade) }
  for (const one of [picture, dim, light]) {
    const [line] = findTextLines(one)
    expect(line).toBeDefined()
    if (line === undefined) continue
    const cut = extractLinePicture(one, line)
    expect(Math.abs(cut.height - 46)).toBeLessThan(3)
    const share = (isMeant: (shade: number) => boolean) => cut.data.filter(isMeant).length / cut.data.length
    expect([share((shade) => shade < 60) > 0.1, share((shade) => shade > 200) > 0.4]).toEqual([true, true])
  }
  expect(stretchContrast({ width: 2, height: 1, data: new Uint8Array([7, 7]) }).data.length).toBe(2)
})
