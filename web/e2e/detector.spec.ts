import { readFileSync } from 'node:fs'
import { expect, test, type Page } from './support/test'
import { launchBrowser, renderScene, createLabelScene, PICTURE_SIZE } from './support/film'

const [HERE, PART] = ['HB20 000123', 'P5521-88']
type DetectorModule = typeof import('../src/features/scanner/detector')
interface Sources {
  image: ImageData
  canvas: HTMLCanvasElement
  blob: Blob
  element: HTMLImageElement
  bitmap: ImageBitmap
  frame: VideoFrame
}
const KINDS: [string, (sources: Sources) => unknown][] = [
  ['pixels', ({ image }) => image], ['canvas', ({ canvas }) => canvas], ['blob', ({ blob }) => blob], ['image element', ({ element }) => element],
  ['bitmap', ({ bitmap }) => bitmap], ['video frame', ({ frame }) => frame],
]

const manifest = JSON.parse(readFileSync(new URL('../dist/.vite/manifest.json', import.meta.url), 'utf8')) as Record<string, { file: string }>
const address = `/${manifest['src/features/scanner/detector.ts']?.file}`

/** Opens a page of the app with the detector's module and a picture of two codes, one of them tilted. */
async function open(page: Page): Promise<void> {
  const scene = createLabelScene('QRCode', PART, { module: 5 })
  const shades = (await renderScene({ ...scene, labels: [{ format: 'QRCode', text: PART, x: 260, y: 260 }, { format: 'Code128', text: HERE, module: 2.4, turn: 20, x: 560, y: 660 }] }, 0)).data
  await page.goto('/')
  await page.evaluate(async ([path, size, encoded]) => {
    const image = new ImageData(size, size)
    new Uint32Array(image.data.buffer).set(Uint32Array.from(atob(encoded), (shade) => 0xff00_0000 + 0x01_0101 * shade.charCodeAt(0)))
    const canvas = Object.assign(document.createElement('canvas'), { width: size, height: size })
    canvas.getContext('2d')?.putImageData(image, 0, 0)
    const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve))
    const element = Object.assign(new Image(), { src: canvas.toDataURL() })
    const { BarcodeDetector } = (await import(path)) as DetectorModule
    Object.assign(window, { sources: { image, canvas, blob, element, bitmap: await createImageBitmap(canvas), frame: new VideoFrame(canvas, { timestamp: 0 }) }, BarcodeDetector })
  }, [address, PICTURE_SIZE, Buffer.from(shades).toString('base64')] as const)
}

/** Makes a source in the page and detects its codes. Returns the codes, or the name and message of the error. */
async function detect(page: Page, make: (sources: Sources) => unknown) {
  const sources = await page.evaluateHandle(() => (window as unknown as { sources: Sources }).sources)
  const source = await sources.evaluateHandle(make)
  return page.evaluate((given) => {
    const { BarcodeDetector } = window as unknown as DetectorModule
    return new BarcodeDetector({ formats: ['qr_code', 'linear_codes'] }).detect(given as ImageData).then(
      (codes) => codes.map(({ rawValue, format, boundingBox: { x, y, width, height }, cornerPoints }) => ({ rawValue, format, box: [x, y, width, height], corners: cornerPoints.length })),
      (error: Error) => [error.name, error.message],
    )
  }, source)
}

test('the detector reads every kind of source, and its errors are those of the specification', async ({ baseURL }) => {
  test.setTimeout(240_000)
  const browser = await launchBrowser()
  const page = await browser.newPage({ baseURL, bypassCSP: true }) // the test loads a picture from another origin
  await open(page)
  await test.step('sources', async () => {
    for (const [source, make] of KINDS) {
      const codes = (await detect(page, make)) as { rawValue: string; format: string; box: number[]; corners: number }[]
      expect(codes.map(({ rawValue, format, corners }) => [rawValue, format, corners]).toSorted(), source).toEqual([[HERE, 'code_128', 4], [PART, 'qr_code', 4]].toSorted())
      const [left = 0, top = 0, width = 0, height = 0] = codes.find(({ format }) => format === 'qr_code')?.box ?? []
      expect([left + width / 2, top + height / 2].every((middle) => Math.abs(middle - 260) < 15), source).toBe(true)
    }
  })
  await test.step('no width or height', async () => {
    expect(await detect(page, () => Object.assign(document.createElement('canvas'), { width: 0 }))).toEqual([])
  })
  const errors: [string, (sources: Sources) => unknown, string, string][] = [
    ['image that does not load', () => Object.assign(new Image(), { src: '/none.png' }), 'InvalidStateError', 'Failed to load or decode HTMLImageElement.'],
    ['SVG image that does not load', () => Object.assign(document.createElementNS('http://www.w3.org/2000/svg', 'image'), { decode: async () => Promise.reject(new Error('broken')) }), 'InvalidStateError', 'Failed to load or decode SVGImageElement.'],
    ['video without data', () => document.createElement('video'), 'InvalidStateError', 'Failed to load or decode HTMLVideoElement.'],
    ['blob that is no picture', () => new Blob(['text']), 'InvalidStateError', 'Failed to load or decode Blob.'],
    ['closed frame', ({ frame }) => { const closed = frame.clone(); closed.close(); return closed }, 'InvalidStateError', 'VideoFrame is closed.'],
    ['closed bitmap', async ({ canvas }) => { const closed = await createImageBitmap(canvas); closed.close(); return closed }, 'InvalidStateError', 'The image source is detached.'],
    ['detached pixels', () => { const detached = new ImageData(4, 4); structuredClone(detached.data.buffer, { transfer: [detached.data.buffer] }); return detached }, 'InvalidStateError', 'The image source is detached.'],
    ['tainted canvas', async () => {
      const image = Object.assign(new Image(), { src: 'https://elsewhere.test/a.png' })
      await image.decode()
      const canvas = document.createElement('canvas')
      canvas.getContext('2d')?.drawImage(image, 0, 0)
      return canvas
    }, 'SecurityError', 'Source would taint origin.'],
    ['something else', () => 'text', 'TypeError', "The provided value is not of type '(Blob or HTMLCanvasElement or HTMLImageElement or HTMLVideoElement or ImageBitmap or ImageData or OffscreenCanvas or SVGImageElement or VideoFrame)'."],
  ]
  const pixel = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64')
  await page.route('https://elsewhere.test/**', (route) => route.fulfill({ contentType: 'image/png', body: pixel }))
  for (const [name, make, kind, message] of errors) {
    await test.step(name, async () => expect(await detect(page, make)).toEqual([kind, `Failed to execute 'detect' on 'BarcodeDetector': ${message}`]))
  }
  await test.step('an engine that does not load', async () => {
    const fresh = await browser.newPage({ baseURL })
    await fresh.route('**/*.wasm', (route) => route.abort())
    await open(fresh)
    expect(await detect(fresh, ({ image }) => image)).toEqual(['NotSupportedError', "Failed to execute 'detect' on 'BarcodeDetector': Barcode detection service unavailable."])
  })
  await browser.close()
})
