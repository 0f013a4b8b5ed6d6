import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, test, type Browser, type Page } from '@playwright/test'
import { prepareZXingModule, type WriteInputBarcodeFormat } from 'zxing-wasm/writer'
import { createBackground, placeLabel, simulateCamera, drawSymbol, type LabelOptions, type ShadePicture } from '../../src/testing/labels'
import { watchBrowser } from './policy'

const writer = readFileSync(createRequire(import.meta.url).resolve('zxing-wasm/writer/zxing_writer.wasm'))
prepareZXingModule({ overrides: { wasmBinary: new Uint8Array(writer).buffer } })

/** Scene of a camera film. */
export interface Scene extends LabelOptions {
  labels: (LabelOptions & { format: WriteInputBarcodeFormat; text: string })[]
  /** Length of the scene in pictures. */
  pictures?: number
}

export const PICTURE_SIZE = 1080
const A_SECOND = 10
const GRAINS = 2

/** Returns a scene with one label. */
export const createLabelScene = (format: WriteInputBarcodeFormat, text: string, options: LabelOptions & { pictures?: number } = {}): Scene => ({
  module: /QR|Matrix/.test(format) ? 7 : 2.6, ...options, labels: [{ format, text }],
})
/** Returns a scene without labels. */
export const createEmptyScene = (pictures = 4): Scene => ({ labels: [], pictures })

const rendered = new Map<string, Promise<ShadePicture>>()

/** Returns the camera picture of a scene. Equal scenes of all tests of a worker are rendered once. */
export function renderScene(scene: Scene, seed: number): Promise<ShadePicture> {
  const key = JSON.stringify([scene, seed])
  const picture = rendered.get(key) ?? render(scene, seed)
  rendered.set(key, picture)
  return picture
}

async function render(scene: Scene, seed: number): Promise<ShadePicture> {
  const ground = createBackground(PICTURE_SIZE, PICTURE_SIZE)
  for (const label of scene.labels) placeLabel(ground, await drawSymbol(label.format, label.text), { x: PICTURE_SIZE / 2 + seed, y: PICTURE_SIZE / 2 - seed, ...scene, ...label })
  return simulateCamera(ground, scene, seed + 1)
}

/** Writes scenes to a film file that Chromium plays as its camera, with the slight shaking of a hand. */
export async function writeFilm(scenes: Scene[], folder: string, aSecond = A_SECOND): Promise<string> {
  const path = join(folder, 'film.y4m')
  const file = openSync(path, 'w')
  writeSync(file, `YUV4MPEG2 W${PICTURE_SIZE} H${PICTURE_SIZE} F${aSecond}:1 Ip A1:1 C420jpeg\n`)
  const colourless = new Uint8Array((PICTURE_SIZE / 2) ** 2 * 2).fill(128)
  for (const scene of scenes) {
    const pictures: ShadePicture[] = []
    for (let seed = 0; seed < GRAINS; seed++) pictures.push(await renderScene(scene, seed))
    for (let picture = 0; picture < (scene.pictures ?? 12); picture++) {
      writeSync(file, 'FRAME\n')
      writeSync(file, pictures[picture % GRAINS]?.data ?? new Uint8Array())
      writeSync(file, colourless)
    }
  }
  closeSync(file)
  return path
}

/** Camera of a page, as the page's script sees it. */
interface PageCamera {
  /** Shades of the shown scene in Base64, which are decoded when the camera runs. */
  shades: string
  image: ImageData | null
}

/** Gives a page a camera that shows one of these scenes. It starts with the first one; `show` switches. */
export async function createSceneCamera(scenes: Record<string, Scene>) {
  const shadesOf = async (scene: Scene) => Buffer.from((await renderScene(scene, 0)).data).toString('base64')
  const first = await shadesOf(Object.values(scenes)[0] ?? createEmptyScene())
  const prepare = (page: Page) =>
    page.addInitScript(([size, aSecond, shades]) => {
      const camera: PageCamera = { shades, image: null }
      Object.assign(window, { sceneCamera: camera })
      const decode = () => {
        const image = new ImageData(size, size)
        const [pixels, bytes] = [new Uint32Array(image.data.buffer), atob(camera.shades)]
        for (let at = 0; at < pixels.length; at++) pixels[at] = 0xff00_0000 + 0x01_0101 * bytes.charCodeAt(at)
        return image
      }
      let canvas: HTMLCanvasElement | null = null
      const start = () => {
        const made = document.createElementNS('http://www.w3.org/1999/xhtml', 'canvas') as HTMLCanvasElement
        Object.assign(made, { width: size, height: size })
        const draw = () => made.getContext('2d')?.putImageData((camera.image ??= decode()), 0, 0)
        draw()
        setInterval(draw, 1000 / aSecond)
        return made
      }
      Object.assign(globalThis.navigator.mediaDevices, { getUserMedia: async () => (canvas ??= start()).captureStream(aSecond) })
    }, [PICTURE_SIZE, A_SECOND, first] as const)
  const show = async (page: Page, name: string) => {
    const scene = scenes[name]
    if (scene === undefined) throw new Error(`no scene ${name}`)
    const shades = await shadesOf(scene)
    await page.evaluate((shown) => void Object.assign((window as unknown as { sceneCamera: PageCamera }).sceneCamera, { shades: shown, image: null }), shades)
  }
  return { prepare, show }
}

const CALM = ['--no-sandbox', '--disable-dev-shm-usage', '--disable-background-networking', '--disable-gpu']

/** Launches a browser with additional switches. Each launch can have one camera film. */
export const launchBrowser = async (...args: string[]): Promise<Browser> =>
  watchBrowser(await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: [...CALM, ...args] }))

/** Runs a test in a browser whose camera plays these scenes in a loop. */
export async function runWithFilm(scenes: Scene[], run: (browser: Browser) => Promise<void>, aSecond?: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'patio-film-'))
  try {
    const path = await test.step('the film is made', () => writeFilm(scenes, folder, aSecond))
    const browser = await launchBrowser('--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream', `--use-file-for-fake-video-capture=${path}`)
    try {
      await run(browser)
    } finally {
      await browser.close()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
