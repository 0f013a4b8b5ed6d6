import { useEffect, useRef, useState, useSyncExternalStore, type RefObject } from 'react'
import type { ScanViewProps } from '@/lib/scanner'
import { startVideoWatchdog } from './videoWatchdog'
import { CameraError, createCamera, computeNextZoom, type CameraControlState, type CameraErrorReason } from './camera'
import { storeLens, type CameraLens } from './cameraLenses'
import { createCodeSelector } from './codeSelector'
import { toNormalizedViewPoint } from './scanRegion'
import type { DecodedFrame, DecodeMode } from './decoder'
import { getDecodeEngine, type DecodeEngine } from './engine'
import { startFrameLoop } from './frames'
import type { CameraViewOptions } from './cameraViewOptions'
import { useWakeLock } from './wakeLock'
import type { Point } from './pixels'
import { createDuplicateFilter } from './duplicateFilter'

/** Time in milliseconds for which the camera's on/off button is disabled after a tap, to prevent rapid restarts. */
export const CAMERA_TOGGLE_COOLDOWN_MS = 1000
/** Time in milliseconds after a restart within which a second failure of the camera is reported as a fault. */
const UNSTABLE_MS = 10_000
/** Delays in milliseconds before the camera is started again after a fault; the last delay repeats. */
const RETRY_MS = [500, 1000, 2000, 4000]
/** Delay in milliseconds before the next attempt when the camera delivered no picture in time (fault 'timeout'). */
const RETRY_SLOWLY_MS = 4000
/**
 * Faults after which the camera is started again automatically. Such a fault may end by itself, for example when another app releases the
 * camera or the camera is reconnected.
 */
const TRANSIENT = new Set<CameraErrorReason | 'engine'>(['inUse', 'noCamera', 'timeout', 'noTrack', 'lost', 'start'])

type DetectorModule = typeof import('./detector')
/**
 * Loads the module of the barcode detector, which converts the formats and options of the camera view to settings of the decoding engine.
 */
export const loadBarcodeDetector = (): Promise<DetectorModule> => import('./detector')

type Running = 'starting' | 'loading' | 'restarting' | 'on'
export type ScanPhase = 'off' | Running
const NO_CONTROLS: CameraControlState = { torch: null, zoom: null }

const onVisibility = (changed: () => void) => {
  document.addEventListener('visibilitychange', changed)
  return () => document.removeEventListener('visibilitychange', changed)
}
const useVisible = () => useSyncExternalStore(onVisibility, () => document.visibilityState === 'visible')

interface Failed {
  trouble: CameraErrorReason | 'engine'
  /** Number of the attempt that failed. The error message of this attempt stays on screen while the next attempt is running. */
  attempt: number
}

/** Tracks the attempts to start the camera, with automatic retries after a transient fault. */
function useAttempts(on: boolean, visible: boolean) {
  const [attempt, setAttempt] = useState(0)
  const [failed, setFailed] = useState<Failed | null>(null)
  const tries = useRef(0)
  const isWaiting = failed !== null && failed.attempt === attempt
  const isTransient = failed !== null && TRANSIENT.has(failed.trouble)
  const isSlow = failed?.trouble === 'timeout'
  useEffect(() => {
    if (!isWaiting || !on || !visible || !isTransient) return
    const again = () => setAttempt((before) => before + 1)
    const timer = setTimeout(again, isSlow ? RETRY_SLOWLY_MS : RETRY_MS[Math.min(tries.current++, RETRY_MS.length - 1)])
    const devices: MediaDevices | undefined = navigator.mediaDevices
    devices?.addEventListener?.('devicechange', again)
    return () => {
      clearTimeout(timer)
      devices?.removeEventListener?.('devicechange', again)
    }
  }, [isWaiting, isTransient, isSlow, on, visible])
  useEffect(() => {
    // Retry when the page is shown again: the person may have changed the camera permission.
    if (!visible && isWaiting) return () => setAttempt((before) => before + 1)
  }, [visible, isWaiting])
  return {
    attempt, isWaiting, isTransient,
    trouble: failed?.trouble ?? null,
    fail: setFailed,
    succeed: () => setFailed(null),
    /** Resets the retry delays to the shortest delay. Called once the camera runs stably. */
    steady: () => {
      tries.current = 0
    },
    restart: () => setAttempt((before) => before + 1),
    retry: () => {
      setFailed(null)
      setAttempt((before) => before + 1)
    },
  }
}

/** Returns the state and the controls of the scanner. The camera runs while the scanner is switched on and the page is visible. */
export function useCameraScan(video: RefObject<HTMLVideoElement | null>, props: ScanViewProps, options: CameraViewOptions) {
  const [on, setOn] = useState(true)
  const [rests, setRests] = useState(false)
  const [phase, setPhase] = useState<Running>('starting')
  const [controls, setControls] = useState(NO_CONTROLS)
  const [lenses, setLenses] = useState<{ all: CameraLens[]; current: string | null }>({ all: [], current: null })
  const [outline, setOutline] = useState<Point[] | null>(null)
  const visible = useVisible()
  const attempts = useAttempts(on, visible)
  const [camera] = useState(() => createCamera({ onControls: setControls, onLenses: (all, current) => setLenses({ all, current }) }))
  const [gate] = useState(() => createDuplicateFilter())
  const restarted = useRef(-UNSTABLE_MS)
  const latest = useRef({ props, attempts })
  useEffect(() => {
    latest.current = { props, attempts }
  })

  const { attempt, trouble } = attempts
  const running = on && visible && !attempts.isWaiting
  useWakeLock(running && props.keepOn === true)
  useEffect(() => {
    const element = video.current
    if (!running || element === null) return
    let gone = false
    let leave = () => {}
    const fail = (error: unknown) => {
      if (!gone) latest.current.attempts.fail({ trouble: error instanceof CameraError ? error.trouble : 'engine', attempt })
    }
    /** Restarts a camera that stopped by itself. Reports a fault instead when the last restart was less than `UNSTABLE_MS` ago. */
    const restart = () => {
      const isUnstable = performance.now() - restarted.current < UNSTABLE_MS
      restarted.current = performance.now()
      if (isUnstable) fail(new CameraError('lost'))
      else if (!gone) latest.current.attempts.restart()
    }
    const follow = ([started, { BarcodeDetector }]: [boolean, DetectorModule]) => {
      if (!started || gone) return
      const { settings } = new BarcodeDetector({ formats: options.formats, decoder: options.decoder })
      latest.current.attempts.succeed()
      const use = (engine: DecodeEngine, meanwhile: Running) => {
        engine.reset(settings)
        setPhase(meanwhile)
        engine.ready.then(() => !gone && setPhase('on')).catch(fail)
      }
      use(getDecodeEngine(), 'loading')
      const { choose } = createCodeSelector((text) => latest.current.props.gradeMatch?.(text) ?? true, gate.isRefused)
      const steady = setTimeout(() => latest.current.attempts.steady(), UNSTABLE_MS)
      const unwatch = startVideoWatchdog(element, restart)
      const unfollow = startFrameLoop({
        video: element, options, getDecodeEngine, onBroken: fail,
        onReplaced: (replaced) => use(replaced, 'restarting'),
        onDecoded: (decoded) => see(decoded, choose, element),
      })
      leave = () => {
        clearTimeout(steady)
        unwatch()
        unfollow()
      }
    }
    const see = (decoded: DecodedFrame, choose: ReturnType<typeof createCodeSelector>['choose'], { videoWidth, videoHeight }: HTMLVideoElement): DecodeMode => {
      setOutline(decoded.seen?.corners.map((corner) => toNormalizedViewPoint(corner, videoWidth, videoHeight)) ?? null)
      if (decoded.codes.length > 0 || decoded.seen !== null) gate.sees()
      const { paused, keepOn, onScan } = latest.current.props
      if (paused) return 'watch'
      const { code, fitting, several } = choose(decoded)
      if (code !== null && (!keepOn || gate.isNew(code.text, fitting))) onScan(code.text)
      if (code !== null && keepOn) return 'watch' // the label stays in view while the sheet of its vehicle is open
      return several ? 'every' : 'first'
    }
    Promise.all([camera.start(element), loadBarcodeDetector()]).then(follow).catch(fail)
    return () => {
      gone = true
      leave()
      setOutline(null)
      setPhase('starting')
      camera.stop().catch(() => undefined)
    }
  }, [running, attempt, camera, gate, video, options])

  return {
    phase: running ? phase : ('off' as const), trouble, isRetrying: attempts.isTransient, outline, rests, on, controls, lenses: lenses.all,
    toggle: () => {
      setOn(!on)
      setRests(true)
      setTimeout(setRests, CAMERA_TOGGLE_COOLDOWN_MS, false)
    },
    retry: () => {
      attempts.retry()
      setOn(true)
    },
    torch: () => void camera.setTorch(controls.torch !== true),
    zoom: (direction: 1 | -1) => controls.zoom && void camera.setZoom(computeNextZoom(controls.zoom, direction), controls.torch === true),
    /** Switches to the next rear camera and stores the choice on this device. */
    nextLens: () => {
      const index = lenses.all.findIndex(({ id }) => id === lenses.current)
      storeLens(lenses.all[(index + 1) % lenses.all.length] ?? null)
      attempts.restart()
    },
  }
}

export type CameraScan = ReturnType<typeof useCameraScan>
