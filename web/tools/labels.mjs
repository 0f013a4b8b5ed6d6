// Writes sample pictures of labels for tools/decode.mjs: node tools/labels.mjs FOLDER
// Draws every format flat, tilted, blurred, dark, with glare and in perspective, and pictures without a code.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { PNG } from 'pngjs'
import { loadAppModule } from './engine.mjs'

const { createBackground, drawLabelPicture, simulateCamera } = await loadAppModule('testing/labels.ts')
const root = resolve(process.argv[2] ?? 'pictures')

const VIN = '9BWZZZ377VT004251'
const TEXTS = { EAN13: '4006381333931', EAN8: '96385074', UPCA: '036000291452', UPCE: '01234565', MicroQRCode: '1234567' }
const FORMATS = ['Code39', 'Code128', 'Code93', 'EAN13', 'EAN8', 'UPCA', 'UPCE', 'PDF417', 'QRCode', 'MicroQRCode', 'DataMatrix']
const isMatrix = (format) => /QR|Matrix/.test(format)

function write(folder, name, { width, height, data }) {
  const png = new PNG({ width, height, colorType: 0, inputColorType: 0, inputHasAlpha: false })
  png.data = Buffer.from(data)
  mkdirSync(join(root, folder), { recursive: true })
  writeFileSync(join(root, folder, `${name}.png`), PNG.sync.write(png, { colorType: 0, inputColorType: 0, inputHasAlpha: false }))
}

const WAYS = {
  flat: [{}, { x: 500, y: 400 }, { width: 2400, height: 1800 }],
  tilted: [{ turn: 15 }, { turn: 30 }, { turn: 45 }, { turn: -22 }, { turn: 100 }],
  blurred: [{ blur: 0.7 }, { blur: 1, turn: 8 }],
  dark: [{ white: 60, black: 22 }, { white: 60, black: 22, turn: 20 }],
  glare: [{ glare: 0.5 }, { glare: 0.4, turn: 12 }],
  slanted: [{ perspective: 0.25 }, { perspective: 0.3, turn: 25 }],
}
for (const [way, variants] of Object.entries(WAYS)) {
  for (const format of FORMATS) {
    for (const [n, options] of variants.entries()) {
      const text = TEXTS[format] ?? VIN
      write(way, `${format}__${text}__${n}`, await drawLabelPicture(format, text, { module: isMatrix(format) ? 5 : 2.6, ...options }))
    }
  }
}

/** Textures around cars that are not codes: grilles, fences, brick, print, foliage, noise. */
const TEXTURES = {
  grille: (x, y) => (x % 14 < 5 ? 30 : 190 + (y % 40)),
  fence: (x, y) => ((x + y) % 37 < 6 || (x - y + 9999) % 41 < 6 ? 40 : 200),
  bars: (x) => (Math.sin(x / 3) + Math.sin(x / 7.3) + Math.sin(x / 17.7) > 0.4 ? 30 : 225),
  slats: (x, y) => (Math.sin((x + 2 * y) / 5) + Math.sin((x + 2 * y) / 11.3) > 0.2 ? 45 : 215),
  brick: (x, y) => (y % 60 < 5 || (x + (Math.floor(y / 60) % 2) * 70) % 140 < 5 ? 210 : 120),
  print: (x, y) => ((Math.floor(x / 4) * 7919 + Math.floor(y / 5) * 104_729 + Math.floor((x * y) / 400)) % 11 < 4 && y % 22 < 14 ? 40 : 235),
  checks: (x, y) => ((Math.floor(x / 9) + Math.floor(y / 9)) % 2 === 0 ? 30 : 225),
  modules: (x, y) => (Math.sin(Math.floor(x / 6) * 12.9898 + Math.floor(y / 6) * 78.233) * 43_758.5453 - Math.floor(Math.sin(Math.floor(x / 6) * 12.9898 + Math.floor(y / 6) * 78.233) * 43_758.5453) > 0.5 ? 30 : 225),
}
for (const [name, shade] of Object.entries(TEXTURES)) {
  for (const [n, scale] of [1, 1.7, 0.6].entries()) {
    const scene = createBackground(1280, 960)
    scene.data = scene.data.map((_, index) => shade(Math.floor((index % 1280) / scale), Math.floor(index / 1280 / scale)))
    write('none', `none__${name}-${n}`, simulateCamera(scene, { blur: 0.6, noise: 6 }, n + 1))
  }
}
write('none', 'none__ground', simulateCamera(createBackground(1280, 960), { noise: 12 }))
