import { deferred } from './deferred'
/** What went wrong with the camera, as the person is told. */
export type Trouble = 'insecure' | 'noApi' | 'refused' | 'noCamera' | 'inUse' | 'timeout' | 'noTrack' | 'start' | 'stop' | 'lost'

export class CameraError extends Error {
  readonly trouble: Trouble
  constructor(trouble: Trouble, cause?: unknown) {
    super(trouble, { cause })
    this.name = 'CameraError'
    this.trouble = trouble
  }
}

export const START_MS = 3000
export const SETTLE_MS = 500

/** The rear camera within the specification's limits; more points than its ideal read smaller codes. */
const WANTED: MediaTrackConstraints = {
  facingMode: 'environment',
  width: { min: 640, ideal: 1080, max: 1920 },
  height: { min: 640, ideal: 1080, max: 1080 },
}
const WITHOUT_LIMITS: MediaTrackConstraints = { facingMode: { ideal: 'environment' }, width: { ideal: 1080 }, height: { ideal: 1080 } }

/** What a track can do beyond what TypeScript knows of. */
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

/** The lamp and the zoom of a camera, known half a second after it started. */
export interface Controls {
  torch: boolean | null
  zoom: { min: number; max: number; now: number } | null
}
const NONE: Controls = { torch: null, zoom: null }

function controlsOf(track: MediaStreamTrack): Controls {
  const { torch, zoom }: Abilities = track.getCapabilities?.() ?? {}
  const settings: Settings = track.getSettings()
  return {
    torch: torch === true ? (settings.torch ?? false) : null,
    zoom: zoom !== undefined && zoom.max > zoom.min ? { min: zoom.min, max: zoom.max, now: settings.zoom ?? zoom.min } : null,
  }
}

const REASONS: Record<string, Trouble> = {
  NotAllowedError: 'refused',
  SecurityError: 'refused',
  NotFoundError: 'noCamera',
  OverconstrainedError: 'noCamera',
  NotReadableError: 'inUse',
  AbortError: 'inUse',
}
const troubleOf = (error: unknown): Trouble => (error instanceof DOMException || error instanceof Error ? (REASONS[error.name] ?? 'start') : 'start')

async function acquire(): Promise<MediaStream> {
  if (!window.isSecureContext) throw new CameraError('insecure')
  // eslint-disable-next-line typescript/no-unnecessary-condition
  if (navigator.mediaDevices?.getUserMedia === undefined) throw new CameraError('noApi')
  try {
    return await navigator.mediaDevices.getUserMedia({ audio: false, video: WANTED })
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'OverconstrainedError') throw new CameraError(troubleOf(error), error)
  }
  return navigator.mediaDevices.getUserMedia({ audio: false, video: WITHOUT_LIMITS }).catch((error: unknown) => {
    throw new CameraError(troubleOf(error), error)
  })
}

function release(stream: MediaStream): void {
  for (const track of stream.getTracks()) {
    track.stop()
    stream.removeTrack(track)
  }
}

/** Waits until pictures come. */
async function playing(video: HTMLVideoElement): Promise<void> {
  const { promise: late, reject } = deferred<never>()
  const timer = setTimeout(() => reject(new CameraError('timeout')), START_MS)
  const { promise: pictures, resolve } = deferred<void>()
  video.addEventListener('loadeddata', () => resolve(), { once: true })
  if (video.readyState >= HTMLMediaElement.HAVE_CURRENT_DATA) resolve()
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

export interface CameraEvents {
  /** Lamp and zoom are known, or have changed. */
  onControls: (controls: Controls) => void
  /** The camera ended by itself, for instance because it was unplugged. */
  onLost: () => void
}

let queue: Promise<unknown> = Promise.resolve()

/** A task after all that were asked for before it; that one of them failed does not keep it. */
function enqueue<T>(task: () => Promise<T>): Promise<T> {
  const done = queue.then(task, task)
  queue = done.catch(() => undefined)
  return done
}

/** One camera whose starts and stops wait for each other, whatever is asked in which order. */
export function createCamera({ onControls, onLost }: CameraEvents) {
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

  /** Starts the camera on a video element; false when a stop was asked for meanwhile. */
  async function begin(video: HTMLVideoElement, ticket: number, restart: boolean): Promise<boolean> {
    if (ticket !== asked) return false
    if (running !== null && running.video === video && running.track.readyState === 'live' && !restart) return true
    end()
    const stream = await acquire()
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
      throw error instanceof CameraError ? error : new CameraError(troubleOf(error), error)
    }
    running = { video, stream, track }
    track.addEventListener('ended', () => running?.track === track && onLost(), { once: true })
    settle(track)
    return true
  }

  /** Capabilities are right only some time after the start; pictures are decoded meanwhile. */
  function settle(track: MediaStreamTrack): void {
    setTimeout(() => {
      if (running?.track !== track) return
      onControls(controlsOf(track))
      const abilities: Abilities = track.getCapabilities?.() ?? {}
      if (abilities.focusMode?.includes('continuous')) void apply(track, { focusMode: 'continuous' })
    }, SETTLE_MS)
  }

  const apply = (track: MediaStreamTrack, change: Advanced) => track.applyConstraints({ advanced: [change] }).catch(() => console.warn('the camera did not take a setting'))

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
    /** Zooming switches the lamp off first: some cameras lose it otherwise. */
    setZoom: (zoom: number, torchIsOn: boolean) => (torchIsOn ? adjust({ torch: false }, { zoom }) : adjust({ zoom })),
  }
}

export type Camera = ReturnType<typeof createCamera>

const THIRDS = 3

/** One step of a third of the range, in or out, within it. */
export const zoomStep = ({ min, max, now }: { min: number; max: number; now: number }, direction: 1 | -1): number =>
  Math.min(max, Math.max(min, now + (direction * (max - min)) / THIRDS))
