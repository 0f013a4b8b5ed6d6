import { useEffect, useRef, useState, useSyncExternalStore, type RefObject } from 'react'
import type { ScanViewProps } from '@/lib/scanner'
import { CameraError, createCamera, zoomStep, type Controls, type Trouble } from './camera'
import { createChooser } from './choose'
import { inView } from './crop'
import type { Decoded } from './decoder'
import { engine } from './engine'
import { followFrames } from './frames'
import type { Point } from './pixels'
import { createGate } from './repeat'

/** After a tap on the switch it rests, so that a camera is not started and stopped in one breath. */
export const REST_MS = 1000

type Running = 'starting' | 'loading' | 'on'
export type Phase = 'off' | Running
const NO_CONTROLS: Controls = { torch: null, zoom: null }

const onVisibility = (changed: () => void) => {
  document.addEventListener('visibilitychange', changed)
  return () => document.removeEventListener('visibilitychange', changed)
}
const useVisible = () => useSyncExternalStore(onVisibility, () => document.visibilityState === 'visible')

/** The camera, what it sees, and its controls; it runs while it is switched on and the page is shown. */
export function useScan(video: RefObject<HTMLVideoElement | null>, props: ScanViewProps) {
  const [on, setOn] = useState(true)
  const [rests, setRests] = useState(false)
  const [phase, setPhase] = useState<Running>('starting')
  const [trouble, setTrouble] = useState<Trouble | 'engine' | null>(null)
  const [controls, setControls] = useState(NO_CONTROLS)
  const [outline, setOutline] = useState<Point[] | null>(null)
  const visible = useVisible()
  const [camera] = useState(() => createCamera({ onControls: setControls, onLost: () => setTrouble('lost') }))
  const [gate] = useState(() => createGate())
  const latest = useRef(props)
  useEffect(() => {
    latest.current = props
  })

  const running = on && visible && trouble === null
  useEffect(() => {
    const element = video.current
    if (!running || element === null) return
    let gone = false
    let unfollow = () => {}
    const fail = (error: unknown) => {
      if (!gone) setTrouble(error instanceof CameraError ? error.trouble : 'engine')
    }
    const follow = (started: boolean) => {
      if (!started || gone) return
      const source = engine()
      source.reset()
      setPhase('loading')
      source.ready.then(() => !gone && setPhase('on')).catch(fail)
      const { choose } = createChooser((text) => latest.current.fits?.(text) ?? true)
      unfollow = followFrames({ video: element, engine: source, onBroken: fail, onDecoded: (decoded) => see(decoded, choose, element) })
    }
    const see = (decoded: Decoded, choose: ReturnType<typeof createChooser>['choose'], { videoWidth, videoHeight }: HTMLVideoElement): boolean => {
      setOutline(decoded.seen?.corners.map((corner) => inView(corner, videoWidth, videoHeight)) ?? null)
      for (const { text } of [...decoded.codes, ...(decoded.seen ? [decoded.seen] : [])]) gate.sees(text)
      if (latest.current.paused) return false
      const { code, several } = choose(decoded)
      if (code !== null && (!latest.current.keepOn || gate.isNew(code.text))) latest.current.onRead(code.text)
      return several
    }
    camera.start(element).then(follow).catch(fail)
    return () => {
      gone = true
      unfollow()
      setOutline(null)
      setPhase('starting')
      camera.stop().catch(() => undefined)
    }
  }, [running, camera, gate, video])

  return {
    phase: running ? phase : ('off' as const), trouble, outline, rests, on, controls,
    toggle: () => {
      setOn(!on)
      setRests(true)
      setTimeout(setRests, REST_MS, false)
    },
    retry: () => {
      setTrouble(null)
      setOn(true)
    },
    torch: () => void camera.setTorch(controls.torch !== true),
    zoom: (direction: 1 | -1) => controls.zoom && void camera.setZoom(zoomStep(controls.zoom, direction), controls.torch === true),
  }
}

export type Scan = ReturnType<typeof useScan>
