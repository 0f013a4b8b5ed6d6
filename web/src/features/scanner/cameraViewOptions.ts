import type { BarcodeDetectorOptions } from './detector'

/** Options of the camera view: code formats, drawn overlays, offered controls, and pauses between frames. */
export interface CameraViewOptions {
  formats: NonNullable<BarcodeDetectorOptions['formats']>
  decoder?: BarcodeDetectorOptions['decoder']
  /** Whether the finder is drawn: the dashed square that shows where to hold the code. */
  finder: boolean
  /** Whether the outline of a detected code is drawn. The pause after a frame without a code is then `trackedRetryDelayMs`. */
  tracker: boolean
  /** Whether a torch control is offered. */
  torch: boolean
  /** Whether zoom controls are offered. */
  zoom: boolean
  /** Whether a control is offered that switches the camera off and on. */
  onOff: boolean
  /** Pause in milliseconds after a frame with a decoded code. */
  scanDelayMs: number
  /** Pause in milliseconds after a frame without a code. */
  retryDelayMs: number
  /** Pause in milliseconds after a frame without a code, used instead of `retryDelayMs` when `tracker` is true. */
  trackedRetryDelayMs: number
}

/** Default options of the camera view, as the product specification requires. */
export const DEFAULT_CAMERA_VIEW_OPTIONS: CameraViewOptions = {
  formats: ['qr_code'],
  finder: true,
  tracker: false,
  torch: true,
  zoom: false,
  onOff: false,
  scanDelayMs: 300,
  retryDelayMs: 500,
  trackedRetryDelayMs: 10,
}

/** Options of the scanner screen: the formats on vehicle labels, at most one code per frame, the outline of a code, and all controls. */
export const SCAN_VIEW_OPTIONS: CameraViewOptions = {
  ...DEFAULT_CAMERA_VIEW_OPTIONS,
  formats: ['code_128', 'code_39', 'code_93', 'ean_13', 'ean_8', 'upc_a', 'upc_e', 'pdf417', 'data_matrix', 'micro_qr_code', 'qr_code'],
  decoder: { maxNumberOfSymbols: 1 },
  tracker: true,
  zoom: true,
  onOff: true,
}
