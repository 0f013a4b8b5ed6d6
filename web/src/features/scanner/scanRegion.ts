import type { Point } from './pixels'

/** Side of the finder (the dashed square in the camera view) as a fraction of the picture's short side. */
export const VIEWFINDER_FRACTION = 0.7
export const SCAN_REGION_FRACTION = 0.86

export interface ScanRegion {
  left: number
  top: number
  side: number
}

/** Returns the square of a video frame that is decoded (the finder plus a margin), in pixels of the frame. */
export function computeScanRegion(width: number, height: number): ScanRegion {
  const side = Math.round(Math.min(width, height) * SCAN_REGION_FRACTION)
  return { left: Math.round((width - side) / 2), top: Math.round((height - side) / 2), side }
}

/** Converts a point of the decoded square into coordinates from 0 to 1 of the displayed square view. */
export const toNormalizedViewPoint = (point: Point, width: number, height: number): Point => {
  const { side } = computeScanRegion(width, height)
  const short = Math.min(width, height)
  const edge = (short - side) / 2
  return { x: (point.x + edge) / short, y: (point.y + edge) / short }
}
