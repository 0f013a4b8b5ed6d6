import { createWorker, OEM, PSM } from 'tesseract.js'
import { getOcrFolderUrl, storeOcrFiles } from '../../../offline/ocrFiles'
import { readFramePixels } from '../framePixels'
import { encodePgm, toGrayscale, type GrayPicture } from '../pixels'
import { extractLinePicture, findTextLines, listLineIndexesByPriority } from './lines'
import type { OcrRequest, OcrResponse } from './protocol'
import { toRecognizedLine } from './recognizeLines'
import { OCR_ENGINE_CONFIG, OCR_LINE_PARAMETERS, MAX_LINES_PER_PICTURE } from './settings'

const send = (response: OcrResponse) => globalThis.postMessage(response)
const fail = (error: unknown) => send({ kind: 'failed', message: error instanceof Error ? error.message : String(error) })

/** Starts the OCR engine in its own web worker, from same-origin files. */
async function start() {
  await storeOcrFiles()
  const folder = getOcrFolderUrl()
  const engine = await createWorker('eng', OEM.LSTM_ONLY, {
    workerPath: `${folder}/worker.js`, corePath: `${folder}/tesseract-core-simd-lstm.js`, langPath: folder,
    workerBlobURL: false, cacheMethod: 'none', errorHandler: fail,
  }, OCR_ENGINE_CONFIG)
  await engine.setParameters({ ...OCR_LINE_PARAMETERS, tessedit_pageseg_mode: PSM.SINGLE_LINE })
  return engine
}

const starting = start()
let lines: GrayPicture[] = []

async function answer(request: OcrRequest): Promise<OcrResponse> {
  if (request.kind === 'find') {
    const picture = toGrayscale(readFramePixels(request.frame))
    const found = findTextLines(picture)
    lines = found.map((line) => extractLinePicture(picture, line))
    return { kind: 'found', order: listLineIndexesByPriority(found).slice(0, MAX_LINES_PER_PICTURE) }
  }
  const line = lines[request.place]
  if (line === undefined) return { kind: 'text', line: { text: '', confidences: [] } }
  const { data } = await (await starting).recognize(new Blob([encodePgm(line).slice()]), {}, { text: false, blocks: true })
  return { kind: 'text', line: toRecognizedLine(data.blocks) }
}

globalThis.addEventListener('message', ({ data }: MessageEvent<OcrRequest>) => {
  answer(data).then(send, fail)
})
starting.then(() => send({ kind: 'ready' }), fail)
