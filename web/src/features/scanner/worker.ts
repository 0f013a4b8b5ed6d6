import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader'
import wasm from 'zxing-wasm/reader/zxing_reader.wasm?url'
import { createDecoder, type BlurredCodeDecodeFunction } from './decoder'
import { SCANNER_DECODER_SETTINGS } from './decoderSettings'
import { readFramePixels } from './framePixels'
import { toGrayscale, type GrayPicture, type RgbaPicture } from './pixels'
import type { DecodeWorkerRequest, DecodeWorkerResponse } from './protocol'

const send = (report: DecodeWorkerResponse) => globalThis.postMessage(report)
const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

const engine = prepareZXingModule({ overrides: { locateFile: () => wasm }, fireImmediately: true })
/** Loads the blurred-code decoder on first use, because most labels do not need it. */
const decodeBlurredCode: BlurredCodeDecodeFunction = async (frame, directions) => (await import('./blurred/blurredDecoder')).decodeBlurredCode(frame, directions)
let decoder = createDecoder(readBarcodes, SCANNER_DECODER_SETTINGS, decodeBlurredCode)
let idle = true

const spare = createDecoder(readBarcodes)

/**
 * Decodes a sample picture so that the browser compiles and optimizes the decoder. Ignores the result, and uses a separate decoder, so that the readings
 * of real frames are not affected.
 */
async function rehearse({ width, height, data }: RgbaPicture): Promise<void> {
  const picture = new ImageData(data, width, height)
  const frame = typeof OffscreenCanvas === 'undefined' ? picture : await createImageBitmap(picture)
  await spare.decode(toGrayscale(readFramePixels(frame)))
}

/**
 * Decodes a picture and returns the response to the page. An error of ZXing is fatal, because its memory is then in an unknown
 * state; an error while reading the pixels is not.
 */
async function answer(id: number, read: () => RgbaPicture, decode: (picture: GrayPicture) => Promise<DecodeWorkerResponse>): Promise<DecodeWorkerResponse> {
  let picture: GrayPicture | null = null
  try {
    picture = toGrayscale(read())
    return await decode(picture)
  } catch (error) {
    return { kind: 'broken', id, message: messageOf(error), fatal: picture !== null }
  }
}

globalThis.addEventListener('message', async ({ data }: MessageEvent<DecodeWorkerRequest>) => {
  idle = false
  if (data.kind === 'reset') decoder = createDecoder(readBarcodes, data.settings, decodeBlurredCode)
  else if (data.kind === 'frame') send(await answer(data.id, () => readFramePixels(data.frame), async (picture) => ({ kind: 'decoded', id: data.id, decoded: await decoder.decode(picture, { mode: data.mode }) })))
  else {
    const { decodePhotograph } = await import('./photograph')
    send(await answer(data.id, () => data.picture, async (picture) => ({ kind: 'detected', id: data.id, codes: await decodePhotograph(createDecoder(readBarcodes, data.settings, decodeBlurredCode), picture) })))
  }
})

async function warmUp(): Promise<void> {
  const { warmUpDecoder } = await import('./warmup')
  await warmUpDecoder(rehearse, () => idle)
}

engine.then(
  () => {
    send({ kind: 'ready' })
    warmUp().catch(() => undefined) // an error will be reported with the first real frame
  },
  (error: unknown) => send({ kind: 'failed', message: messageOf(error) }),
)
