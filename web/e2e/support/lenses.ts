import type { Page } from '@playwright/test'

/** Simulated camera of a phone. */
export interface FakeLens {
  id: string
  label: string
}

/** State of the simulated cameras of a page: the ones that fail, and the errors of the next requests. */
interface FakeCameras {
  refused: string[]
  errors: string[]
  /** Ids of the requested cameras, in order. */
  asked: string[]
}

/** Gives a page several cameras, which all show the picture of the scene camera. The browser prefers the first one. */
export const simulateCameras = (page: Page, all: FakeLens[]): Promise<unknown> =>
  page.addInitScript((known) => {
    const devices = globalThis.navigator.mediaDevices
    const draw = devices.getUserMedia.bind(devices)
    const cameras: FakeCameras = { refused: JSON.parse(localStorage.getItem('refused lenses') ?? '[]') as string[], errors: [], asked: [] }
    Object.assign(window, { cameras })
    devices.enumerateDevices = async () => known.map(({ id, label }) => ({ deviceId: id, groupId: id, kind: 'videoinput', label, toJSON: () => ({}) }))
    devices.getUserMedia = async (constraints) => {
      const wanted = constraints?.video as { deviceId?: { exact: string } } | undefined
      const id = wanted?.deviceId?.exact ?? known[0]?.id ?? ''
      cameras.asked.push(id)
      const error = cameras.errors.shift() ?? (cameras.refused.includes(id) ? 'NotReadableError' : undefined)
      if (error !== undefined) throw new DOMException('', error)
      const stream = await draw(constraints)
      const [track] = stream.getVideoTracks()
      if (track === undefined) return stream
      const settings = track.getSettings.bind(track)
      track.getSettings = () => ({ ...settings(), deviceId: id, zoom: 1 })
      return stream
    }
  }, all)

/** Returns the ids of the cameras requested since the page was loaded. */
export const getRequestedCameras = (page: Page): Promise<string[]> => page.evaluate(() => (window as unknown as { cameras: FakeCameras }).cameras.asked)

/** Makes the next camera requests fail, each with one of these errors. */
export const failNextRequests = (page: Page, ...errors: string[]): Promise<void> =>
  page.evaluate((names) => void (window as unknown as { cameras: FakeCameras }).cameras.errors.push(...names), errors)

/** Makes requests for these cameras fail, also after a reload. */
export const failCameras = (page: Page, ...ids: string[]): Promise<void> =>
  page.evaluate((refused) => {
    localStorage.setItem('refused lenses', JSON.stringify(refused))
    ;(window as unknown as { cameras: FakeCameras }).cameras.refused = refused
  }, ids)

/** Prepares a page whose camera can be frozen with `setFrozen` while its track stays open, as during a phone call. */
export const prepareFreeze = (page: Page): Promise<unknown> =>
  page.addInitScript(() => {
    const state = { frozen: false }
    Object.assign(window, { pictures: state })
    const devices = globalThis.navigator.mediaDevices
    const draw = devices.getUserMedia.bind(devices)
    const { MediaStreamTrackProcessor: Processor, MediaStreamTrackGenerator: Generator } = window as unknown as Record<string, new (options: object) => MediaStreamTrack & { readable: ReadableStream<VideoFrame>; writable: WritableStream<VideoFrame> }>
    devices.getUserMedia = async (constraints) => {
      const [track] = (await draw(constraints)).getVideoTracks()
      if (Processor === undefined || Generator === undefined) throw new Error('this browser cannot stop pictures')
      const gated = new Generator({ kind: 'video' })
      const gate = new TransformStream<VideoFrame, VideoFrame>({
        transform(frame, out) {
          if (state.frozen) frame.close()
          else out.enqueue(frame)
        },
      })
      new Processor({ track }).readable.pipeThrough(gate).pipeTo(gated.writable).catch(() => undefined)
      return new MediaStream([gated])
    }
  })

/** Stops or resumes the pictures of the camera. The track fires the mute or unmute event. */
export const setFrozen = (page: Page, frozen: boolean): Promise<void> =>
  page.evaluate((isFrozen) => {
    ;(window as unknown as { pictures: { frozen: boolean } }).pictures.frozen = isFrozen
    const stream = document.querySelector('video')?.srcObject as MediaStream | null
    stream?.getVideoTracks()[0]?.dispatchEvent(new Event(isFrozen ? 'mute' : 'unmute'))
  }, frozen)
