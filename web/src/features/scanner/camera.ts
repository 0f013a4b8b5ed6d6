import { listLensesRankedAbove, listLensesInCyclicOrderFrom, listLenses, readStoredLens, storeLens, type CameraLens } from './cameraLenses'
import { createDeferred } from './deferred'

/** Reason why the camera does not work. The text key of its message is `trouble.{name}`. */
export type CameraErrorReason = 'insecure' | 'noApi' | 'refused' | 'noCamera' | 'inUse' | 'timeout' | 'noTrack' | 'start' | 'stop' | 'lost'

export class CameraError extends Error {
  readonly trouble: CameraErrorReason
  constructor(trouble: CameraErrorReason, cause?: unknown) {
    super(trouble, { cause })
    this.name = 'CameraError'
    this.trouble = trouble
  }
}

export const CAMERA_START_TIMEOUT_MS = 3000
export const CAPABILITIES_READ_DELAY_MS = 500

/**
 * Camera resolution limits of the product specification. The ideal resolution is higher than specified, so that smaller codes can be read.
 */
const LIMITS: MediaTrackConstraints = { width: { min: 640, ideal: 1080, max: 1920 }, height: { min: 640, ideal: 1080, max: 1080 } }
const WITHOUT_LIMITS: MediaTrackConstraints = { width: { ideal: 1080 }, height: { ideal: 1080 } }

/** Capabilities of a camera track, with the properties that are missing in TypeScript's DOM types. */
interface Abilities extends MediaTrackCapabilities {
  torch?: boolean
  zoom?: { min: number; max: number; step?: number }
  focusMode?: string[]
}
interface Settings extends MediaTrackSettings {
  torch?: boolean
  zoom?: number
}
type Advanced = MediaTrackConstraintSet & { torch?: boolean; zoom?: number; focusMode?: string }

/** Torch and zoom of a camera, each `null` if the camera does not support it. Both are also `null` until they are read after the start. */
export interface CameraControlState {
  torch: boolean | null
  zoom: { min: number; max: number; now: number } | null
}
const NONE: CameraControlState = { torch: null, zoom: null }

function controlsOf(track: MediaStreamTrack): CameraControlState {
  const { torch, zoom }: Abilities = track.getCapabilities?.() ?? {}
  const settings: Settings = track.getSettings()
  return {
    torch: torch === true ? (settings.torch ?? false) : null,
    zoom: zoom !== undefined && zoom.max > zoom.min ? { min: zoom.min, max: zoom.max, now: settings.zoom ?? zoom.min } : null,
  }
}

const REASONS: Record<string, CameraErrorReason> = {
  NotAllowedError: 'refused',
  SecurityError: 'refused',
  NotFoundError: 'noCamera',
  OverconstrainedError: 'noCamera',
  NotReadableError: 'inUse',
  AbortError: 'inUse',
}
const reasonOf = (error: unknown): CameraErrorReason => (error instanceof DOMException || error instanceof Error ? (REASONS[error.name] ?? 'start') : 'start')

/** Opens a camera within the resolution limits, or without limits when no camera meets the limits. */
async function open(wanted: MediaTrackConstraints, relaxed = wanted): Promise<MediaStream> {
  if (!window.isSecureContext) throw new CameraError('insecure')
  // eslint-disable-next-line typescript/no-unnecessary-condition
  if (navigator.mediaDevices?.getUserMedia === undefined) throw new CameraError('noApi')
  try {
    return await navigator.mediaDevices.getUserMedia({ audio: false, video: { ...wanted, ...LIMITS } })
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'OverconstrainedError') throw new CameraError(reasonOf(error), error)
  }
  return navigator.mediaDevices.getUserMedia({ audio: false, video: { ...relaxed, ...WITHOUT_LIMITS } }).catch((error: unknown) => {
    throw new CameraError(reasonOf(error), error)
  })
}

const openDefault = () => open({ facingMode: 'environment' }, { facingMode: { ideal: 'environment' } })

/** Opens the first available camera of the list. Returns `null` if none opens or the start is cancelled. Throws if access is refused. */
async function openFirst(lenses: readonly CameraLens[], isWanted: () => boolean): Promise<{ stream: MediaStream; lens: CameraLens } | null> {
  for (const lens of lenses) {
    if (!isWanted()) return null
    try {
      return { stream: await open({ deviceId: { exact: lens.id } }), lens }
    } catch (error) {
      if (error instanceof CameraError && error.trouble === 'refused') throw error
    }
  }
  return null
}

/**
 * Opens the rear camera stored on this device or, if that camera fails, the next one in cyclic order. Opens the browser's default camera
 * when no camera is stored or all fail. If untried rear cameras rank better than the default camera, opens the best one that works instead.
 */
async function acquire(isWanted: () => boolean): Promise<MediaStream> {
  const chosen = readStoredLens()
  const order = chosen === null ? [] : listLensesInCyclicOrderFrom(await listLenses(), chosen)
  const found = await openFirst(order, isWanted)
  if (found !== null) {
    storeLens(found.lens)
    return found.stream
  }
  const stream = await openDefault()
  const better = listLensesRankedAbove(await listLenses(), stream.getVideoTracks()[0]).filter(({ id }) => order.every((tried) => tried.id !== id))
  if (better.length === 0 || !isWanted()) return stream
  release(stream)
  const best = await openFirst(better, isWanted)
  if (best === null) return openDefault()
  storeLens(best.lens)
  return best.stream
}

function release(stream: MediaStream): void {
  for (const track of stream.getTracks()) {
    track.stop()
    stream.removeTrack(track)
  }
}

const HAVE_CURRENT_DATA = 2

/** Plays the video and waits for its first frame; throws a 'timeout' error when no frame arrives in time. */
async function playing(video: HTMLVideoElement): Promise<void> {
  const { promise: late, reject } = createDeferred<never>()
  const timer = setTimeout(() => reject(new CameraError('timeout')), CAMERA_START_TIMEOUT_MS)
  const { promise: pictures, resolve } = createDeferred<void>()
  video.addEventListener('loadeddata', () => resolve(), { once: true })
  if (video.readyState >= HAVE_CURRENT_DATA) resolve()
  try {
    await Promise.race([Promise.all([video.play(), pictures]), late])
  } finally {
    clearTimeout(timer)
  }
}

interface Running {
  video: HTMLVideoElement
  stream: MediaStream
  track: MediaStreamTrack
}

export interface CameraEventHandlers {
  /** Called when torch and zoom become known or change. */
  onControls: (controls: CameraControlState) => void
  /** Called after a start with the rear cameras of this device and the id of the running camera; the id is `null` when unknown. */
  onLenses?: (lenses: CameraLens[], current: string | null) => void
}

let queue: Promise<unknown> = Promise.resolve()

/** Queues a task: runs it after all earlier camera tasks, also when one of them failed. */
function enqueue<T>(task: () => Promise<T>): Promise<T> {
  const done = queue.then(task, task)
  queue = done.catch(() => undefined)
  return done
}

/** Creates a camera whose start and stop calls run one after the other. */
export function createCamera({ onControls, onLenses }: CameraEventHandlers) {
  let running: Running | null = null
  let asked = 0

  function end(): void {
    if (running === null) return
    const { video, stream } = running
    running = null
    video.srcObject = null
    release(stream)
    onControls(NONE)
  }

  /** Starts the camera and plays its picture in a video element. Returns false when a later start or stop call has replaced this call. */
  async function begin(video: HTMLVideoElement, ticket: number, restart: boolean): Promise<boolean> {
    if (ticket !== asked) return false
    if (running !== null && running.video === video && running.track.readyState === 'live' && !restart) return true
    end()
    const stream = await acquire(() => ticket === asked)
    const [track] = stream.getVideoTracks()
    try {
      if (ticket !== asked) throw new CameraError('start')
      if (track === undefined || track.readyState !== 'live') throw new CameraError('noTrack')
      video.srcObject = stream
      await playing(video)
      if (ticket !== asked) throw new CameraError('start')
    } catch (error) {
      video.srcObject = null
      release(stream)
      if (ticket !== asked) return false
      throw error instanceof CameraError ? error : new CameraError(reasonOf(error), error)
    }
    running = { video, stream, track }
    readCapabilitiesLater(track)
    void listLenses().then((lenses) => running?.track === track && onLenses?.(lenses, track.getSettings().deviceId ?? null))
    return true
  }

  /**
   * Reads the torch and zoom capabilities after a delay, because browsers report wrong capabilities right after the start. Frames are
   * already decoded during the delay.
   */
  function readCapabilitiesLater(track: MediaStreamTrack): void {
    setTimeout(() => {
      if (running?.track !== track) return
      onControls(controlsOf(track))
      const abilities: Abilities = track.getCapabilities?.() ?? {}
      if (abilities.focusMode?.includes('continuous')) void apply(track, { focusMode: 'continuous' })
    }, CAPABILITIES_READ_DELAY_MS)
  }

  const apply = (track: MediaStreamTrack, change: Advanced) => track.applyConstraints({ advanced: [change] }).catch(() => console.warn('failed to apply a camera setting, keeping the previous setting'))

  async function adjust(...changes: Advanced[]): Promise<void> {
    const track = running?.track
    if (track === undefined) return
    for (const change of changes) await apply(track, change)
    if (running?.track === track) onControls(controlsOf(track))
  }

  return {
    start(video: HTMLVideoElement, restart = false): Promise<boolean> {
      const ticket = ++asked
      return enqueue(() => begin(video, ticket, restart))
    },
    stop(): Promise<void> {
      asked++
      end()
      return enqueue(async () => end())
    },
    setTorch: (on: boolean) => adjust({ torch: on }),
    /**
     * Sets the zoom. Switches the torch off first, because some cameras lose control of the torch when the zoom changes while the torch
     * is on.
     */
    setZoom: (zoom: number, torchIsOn: boolean) => (torchIsOn ? adjust({ torch: false }, { zoom }) : adjust({ zoom })),
  }
}

export type Camera = ReturnType<typeof createCamera>

const THIRDS = 3

/** Returns the next zoom value, clamped to the zoom range. A step is a third of the range, up for `direction` 1 and down for -1. */
export const computeNextZoom = ({ min, max, now }: { min: number; max: number; now: number }, direction: 1 | -1): number =>
  Math.min(max, Math.max(min, now + (direction * (max - min)) / THIRDS))
