import type { Point } from './pixels'

/** The finder's side and what is decoded around it, as parts of the picture's short side. */
export const FINDER = 0.7
export const SEEN = 0.86

export interface Square {
  left: number
  top: number
  side: number
}

/** The square of a picture that is decoded: the finder and a margin, in the track's own pixels. */
export function cropOf(width: number, height: number): Square {
  const side = Math.round(Math.min(width, height) * SEEN)
  return { left: Math.round((width - side) / 2), top: Math.round((height - side) / 2), side }
}

/** A place in the decoded square as a part of the square view, which shows the picture's short side. */
export const inView = (point: Point, width: number, height: number): Point => {
  const { side } = cropOf(width, height)
  const short = Math.min(width, height)
  const edge = (short - side) / 2
  return { x: (point.x + edge) / short, y: (point.y + edge) / short }
}
