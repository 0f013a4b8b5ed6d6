import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader'
import wasm from 'zxing-wasm/reader/zxing_reader.wasm?url'
import { createDecoder } from './decoder'
import { grayOf, type Rgba } from './pixels'
import type { Frame, Order, Report } from './protocol'
import { warmUp } from './warmup'

const tell = (report: Report) => globalThis.postMessage(report)
const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

const engine = prepareZXingModule({ overrides: { locateFile: () => wasm }, fireImmediately: true })
const decoder = createDecoder(readBarcodes)
let canvas: OffscreenCanvas | null = null
let idle = true

/** The bytes of a picture; a bitmap is drawn on a canvas that is kept for the next one of its size. */
function bytesOf(frame: Frame): Rgba {
  if (!('close' in frame)) return frame
  const { width, height } = frame
  if (canvas?.width !== width || canvas.height !== height) canvas = new OffscreenCanvas(width, height)
  const context = canvas.getContext('2d', { willReadFrequently: true })
  if (context === null) throw new Error('no canvas to read pictures from')
  context.drawImage(frame, 0, 0)
  frame.close()
  return context.getImageData(0, 0, width, height)
}

const spare = createDecoder(readBarcodes)

/** What happens to a picture of the camera, with a decoder that nobody asks for its answer. */
async function rehearse({ width, height, data }: Rgba): Promise<void> {
  const picture = new ImageData(data as ImageDataArray, width, height)
  const frame = typeof OffscreenCanvas === 'undefined' ? picture : await createImageBitmap(picture)
  await spare.decode(grayOf(bytesOf(frame)))
}

async function decode({ id, frame, several }: Extract<Order, { kind: 'frame' }>): Promise<Report> {
  try {
    return { kind: 'decoded', id, decoded: await decoder.decode(grayOf(bytesOf(frame)), { several }) }
  } catch (error) {
    return { kind: 'broken', id, message: messageOf(error) }
  }
}

globalThis.addEventListener('message', async ({ data }: MessageEvent<Order>) => {
  idle = false
  if (data.kind === 'reset') decoder.reset()
  else tell(await decode(data))
})

engine.then(
  () => {
    tell({ kind: 'ready' })
    warmUp(rehearse, () => idle).catch(() => undefined) // what is wrong is told when there is something to decode
  },
  (error: unknown) => tell({ kind: 'failed', message: messageOf(error) }),
)
