import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, test, type Browser, type Page } from '@playwright/test'
import { prepareZXingModule, type WriteInputBarcodeFormat } from 'zxing-wasm/writer'
import { createBackground, placeLabel, photograph, drawSymbol, type LabelOptions, type ShadePicture } from '../../src/testing/labels'
import { watchBrowser } from './policy'

const writer = readFileSync(createRequire(import.meta.url).resolve('zxing-wasm/writer/zxing_writer.wasm'))
prepareZXingModule({ overrides: { wasmBinary: new Uint8Array(writer).buffer } })

/** Scene of a camera film. */
export interface Scene extends LabelOptions {
  labels: (LabelOptions & { format: WriteInputBarcodeFormat; text: string })[]
  /** Length of the scene in pictures. */
  pictures?: number
}

export const SIZE = 1080
const A_SECOND = 10
const GRAINS = 2

/** Returns a scene with one label. */
export const showing = (format: WriteInputBarcodeFormat, text: string, options: LabelOptions & { pictures?: number } = {}): Scene => ({
  module: /QR|Matrix/.test(format) ? 7 : 2.6, ...options, labels: [{ format, text }],
})
/** Returns a scene without labels. */
export const nothing = (pictures = 4): Scene => ({ labels: [], pictures })

/** Renders a scene as a camera picture. */
export async function pictureOf(scene: Scene, seed: number): Promise<ShadePicture> {
  const ground = createBackground(SIZE, SIZE)
  for (const label of scene.labels) placeLabel(ground, await drawSymbol(label.format, label.text), { x: SIZE / 2 + seed, y: SIZE / 2 - seed, ...scene, ...label })
  return photograph(ground, scene, seed + 1)
}

/** Writes scenes to a film file that Chromium plays as its camera, with the slight shaking of a hand. */
export async function film(scenes: Scene[], folder: string, aSecond = A_SECOND): Promise<string> {
  const path = join(folder, 'film.y4m')
  const file = openSync(path, 'w')
  writeSync(file, `YUV4MPEG2 W${SIZE} H${SIZE} F${aSecond}:1 Ip A1:1 C420jpeg\n`)
  const colourless = new Uint8Array((SIZE / 2) ** 2 * 2).fill(128)
  for (const scene of scenes) {
    const pictures: ShadePicture[] = []
    for (let seed = 0; seed < GRAINS; seed++) pictures.push(await pictureOf(scene, seed))
    for (let picture = 0; picture < (scene.pictures ?? 12); picture++) {
      writeSync(file, 'FRAME\n')
      writeSync(file, pictures[picture % GRAINS]?.data ?? new Uint8Array())
      writeSync(file, colourless)
    }
  }
  closeSync(file)
  return path
}

/** Gives a page a camera that shows one of these scenes. It starts with the first one; `show` switches. */
export async function sceneCamera(scenes: Record<string, Scene>) {
  const pictures: [name: string, shades: string][] = []
  for (const [name, scene] of Object.entries(scenes)) pictures.push([name, Buffer.from((await pictureOf(scene, 0)).data).toString('base64')])
  const prepare = (page: Page) =>
    page.addInitScript(([size, aSecond, all]) => {
      const canvas = document.createElementNS('http://www.w3.org/1999/xhtml', 'canvas') as HTMLCanvasElement
      Object.assign(canvas, { width: size, height: size })
      const images = new Map(all.map(([name, shades]) => {
        const image = new ImageData(size, size)
        new Uint32Array(image.data.buffer).set(Uint32Array.from(atob(shades), (shade) => 0xff00_0000 + 0x01_0101 * shade.charCodeAt(0)))
        return [name, image]
      }))
      let shown = images.get(all[0]?.[0] ?? '')
      setInterval(() => shown && canvas.getContext('2d')?.putImageData(shown, 0, 0), 1000 / aSecond)
      Object.assign(window, { showScene: (name: string) => { shown = images.get(name) } })
      Object.assign(globalThis.navigator.mediaDevices, { getUserMedia: async () => canvas.captureStream(aSecond) })
    }, [SIZE, A_SECOND, pictures] as const)
  const show = (page: Page, name: string) => page.evaluate((scene) => (window as unknown as { showScene: (name: string) => void }).showScene(scene), name)
  return { prepare, show }
}

const CALM = ['--no-sandbox', '--disable-dev-shm-usage', '--disable-background-networking', '--disable-gpu']

/** Launches a browser with additional switches. Each launch can have one camera film. */
export const launch = async (...args: string[]): Promise<Browser> =>
  watchBrowser(await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: [...CALM, ...args] }))

/** Runs a test in a browser whose camera plays these scenes in a loop. */
export async function withFilm(scenes: Scene[], run: (browser: Browser) => Promise<void>, aSecond?: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'patio-film-'))
  try {
    const path = await test.step('the film is made', () => film(scenes, folder, aSecond))
    const browser = await launch('--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream', `--use-file-for-fake-video-capture=${path}`)
    try {
      await run(browser)
    } finally {
      await browser.close()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
